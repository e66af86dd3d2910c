#include "exchange/exchange_cost.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

ExchangeCost cost_of_sum(const AllReduceOptions& options, bool exact, std::uint64_t elements,
                         std::int64_t rank, const HostMap& hosts) {
    return exchange_cost({.options = options}, exact, elements, rank, hosts);
}

}  // namespace

TEST_CASE("a ring sends 2 (n - 1) / n of the bytes and adds half of that") {
    const HostMap hosts(4);
    const auto cost = cost_of_sum({.algorithm = AllReduceAlgorithm::ring}, false, 6400, 1, hosts);
    CHECK(cost == ExchangeCost{.sent_bytes = 2 * 3 * 1600 * 4,
                               .received_bytes = 2 * 3 * 1600 * 4,
                               .sent_frames = 6,
                               .received_frames = 6,
                               .added_elements = 3 * 1600});
    const auto half = cost_of_sum({.algorithm = AllReduceAlgorithm::ring, .wire_type = WireType::bfloat16},
                                  false, 6400, 1, hosts);
    CHECK(half.sent_bytes == cost.sent_bytes / 2);
    const auto exact = cost_of_sum({.algorithm = AllReduceAlgorithm::ring}, true, 6400, 1, hosts);
    CHECK(exact.sent_bytes == cost.sent_bytes * 2);
}

TEST_CASE("one rank alone sends nothing") {
    for (const auto& [name, wire] : wire_type_names)
        CHECK(cost_of_sum({.wire_type = wire}, false, 1000, 0, HostMap(1)) == ExchangeCost{});
}

TEST_CASE("an inner node of a tree sends twice, a leaf once") {
    const HostMap hosts(4);
    const AllReduceOptions tree{.algorithm = AllReduceAlgorithm::tree};
    CHECK(cost_of_sum(tree, false, 100, 0, hosts).sent_bytes == 2 * 400);
    CHECK(cost_of_sum(tree, false, 100, 2, hosts).sent_bytes == 2 * 400);
    CHECK(cost_of_sum(tree, false, 100, 3, hosts).sent_bytes == 400);
}

TEST_CASE("automatic is resolved by the bytes on the wire") {
    const auto resolved = [](std::uint64_t elements, WireType wire, bool exact, std::int64_t ranks) {
        return resolved_algorithm({.wire_type = wire}, exact, elements, ranks);
    };
    CHECK(resolved(4096, WireType::float32, false, 2) == AllReduceAlgorithm::recursive_doubling);
    CHECK(resolved(4097, WireType::float32, false, 2) == AllReduceAlgorithm::ring);
    CHECK(resolved(4097, WireType::bfloat16, false, 2) == AllReduceAlgorithm::recursive_doubling);
    CHECK(resolved(4096, WireType::float32, true, 2) == AllReduceAlgorithm::ring);
    CHECK(resolved(100'000, WireType::float32, false, 4) == AllReduceAlgorithm::halving_doubling);
    CHECK(resolved(100'000, WireType::float32, false, 3) == AllReduceAlgorithm::pairwise);
    CHECK(resolved(1'000'000, WireType::top_k, false, 4) == AllReduceAlgorithm::recursive_doubling);
    CHECK(resolved(10, WireType::top_k, false, 3) == AllReduceAlgorithm::ring);
    CHECK(resolved_algorithm({.algorithm = AllReduceAlgorithm::tree}, false, 10, 3) ==
          AllReduceAlgorithm::tree);
}

TEST_CASE("the cost of a sum by another library is not known, nor is that of a step with it") {
    const HostMap hosts(4);
    auto cost = cost_of_sum({.algorithm = AllReduceAlgorithm::mpi}, false, 6400, 1, hosts);
    CHECK_FALSE(cost.known);
    CHECK(cost.sent_bytes == 0);
    auto step = cost_of_sum({.algorithm = AllReduceAlgorithm::ring}, false, 6400, 1, hosts);
    CHECK(step.known);
    step += cost;
    CHECK_FALSE(step.known);
}
