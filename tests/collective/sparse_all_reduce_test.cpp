#include "collective/sparse_all_reduce.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/run.hpp"
#include "collective/same_bits.hpp"
#include "collective/top_k.hpp"
#include "exchange/algorithms.hpp"
#include "net/frame.hpp"
#include "net/memory_channel.hpp"
#include "net/memory_fabric.hpp"

using namespace convoy::test;
namespace asio = boost::asio;
using namespace std::chrono_literals;
using convoy::AllReduceAlgorithm;
using convoy::SparseEntry;

namespace {

using Floats = std::vector<float>;

/// One rank: its gradients of a step, and what it keeps.
struct Part {
    Floats values, residual;
};

convoy::AllReduceOptions options_of(double fraction,
                                    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic) {
    return {.algorithm = algorithm, .wire_type = convoy::WireType::top_k, .top_k = {fraction}};
}

/// Values in [-1, 1) that differ from rank to rank and step to step; whole: small whole numbers, of which
/// many are alike and every sum is exact.
Floats gradients(std::size_t rank, std::size_t step, std::size_t count, bool whole = false) {
    Floats made(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto scrambled = static_cast<std::uint32_t>(i + 1'000'003 * rank + 17 * step) * 2'654'435'761U;
        made[i] = whole ? static_cast<float>(scrambled >> 29U) - 4.0F
                        : static_cast<float>(scrambled) / 0x1p31F - 1.0F;
    }
    return made;
}

/// The definition: every rank sorts what it has, and one adds up.
void reference(std::vector<Part>& parts, std::size_t k) {
    Floats sum(parts[0].values.size());
    for (auto& part : parts) {
        for (std::size_t i = 0; i < sum.size(); ++i) part.residual[i] += part.values[i];
        std::vector<std::size_t> order(sum.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, [&](auto a, auto b) { return std::abs(part.residual[a]) > std::abs(part.residual[b]); });
        for (std::size_t i = 0; i < k; ++i) sum[order[i]] += std::exchange(part.residual[order[i]], 0.0F);
    }
    for (auto& part : parts) part.values = sum;
}

/// Ranks inside this thread.
struct SparseRanks {
    asio::io_context io{1};
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics;
    std::vector<std::future<convoy::ExchangeTimes>> ends;

    explicit SparseRanks(std::size_t ranks, convoy::FabricOptions options = {})
        : fabrics(convoy::make_memory_fabrics(
              io.get_executor(), static_cast<std::int64_t>(ranks),
              [ranks](std::int64_t rank) {
                  return convoy::partners_of(rank, convoy::HostMap(static_cast<std::int64_t>(ranks)));
              },
              options, 1U << 12U)) {}

    void start(std::size_t rank, Part& part, const convoy::AllReduceOptions& options) {
        ends.push_back(asio::co_spawn(
            io, summed(*fabrics[rank], convoy::SparsifiedBuffer{part.values, part.residual}, options),
            asio::use_future));
    }
    void finish() {
        io.restart();
        for (auto& end : ends) {
            while (end.wait_for(0s) != std::future_status::ready) io.run_one();
        }
    }
    void reduce(std::vector<Part>& parts, const convoy::AllReduceOptions& options) {
        ends.clear();
        for (std::size_t rank = 0; rank < parts.size(); ++rank) start(rank, parts[rank], options);
        finish();
        for (auto& end : ends) end.get();
    }
};

void check_steps(std::size_t ranks, std::size_t count, double fraction, AllReduceAlgorithm algorithm,
                 bool whole) {
    CAPTURE(ranks, count, fraction, static_cast<int>(algorithm), whole);
    const auto k = convoy::TopKSpec{fraction}.count_of(count);
    SparseRanks all(ranks);
    std::vector<Part> parts(ranks, {{}, Floats(count)}), expected = parts;
    for (std::size_t step = 0; step < 4; ++step) {
        for (std::size_t rank = 0; rank < ranks; ++rank)
            parts[rank].values = expected[rank].values = gradients(rank, step, count, whole);
        all.reduce(parts, options_of(fraction, algorithm));
        reference(expected, k);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            REQUIRE(same_bits(parts[rank].values, expected[rank].values));
            REQUIRE(same_bits(parts[rank].residual, expected[rank].residual));
        }
    }
}

}  // namespace

TEST_CASE("1 to 5 and 8 ranks sum what each has most of, as the definition says, step after step") {
    for (const std::size_t ranks : {1U, 2U, 3U, 4U, 5U, 8U}) {
        for (const auto algorithm : {AllReduceAlgorithm::automatic, AllReduceAlgorithm::ring}) {
            for (const std::size_t count : {0U, 1U, 17U, 5003U}) {
                for (const double fraction : {0.01, 0.3, 1.0}) {
                    check_steps(ranks, count, fraction, algorithm, false);
                    check_steps(ranks, count, fraction, algorithm, true);
                }
            }
        }
    }
}

TEST_CASE("what was sent and what is kept make up all gradients") {
    constexpr std::size_t ranks = 3, count = 1000;
    SparseRanks all(ranks);
    std::vector<Part> parts(ranks, {{}, Floats(count)});
    Floats sent(count), gradient(count);
    for (std::size_t step = 0; step < 50; ++step) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            parts[rank].values = gradients(rank, step, count, true);
            for (std::size_t i = 0; i < count; ++i) gradient[i] += parts[rank].values[i];
        }
        all.reduce(parts, options_of(0.02));
        for (std::size_t i = 0; i < count; ++i) sent[i] += parts[0].values[i];
    }
    CHECK(sent != gradient);
    for (const auto& part : parts)
        for (std::size_t i = 0; i < count; ++i) sent[i] += part.residual[i];
    CHECK(sent == gradient);
}

TEST_CASE("what is no number travels at once, and stays with nobody") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    SparseRanks all(2);
    std::vector<Part> parts(2, {Floats(100, 1.0F), Floats(100)});
    parts[0].values[70] = std::numeric_limits<float>::quiet_NaN();
    parts[1].values[80] = -infinity;
    all.reduce(parts, options_of(0.01));
    for (const auto& part : parts) {
        CHECK(std::isnan(part.values[70]));
        CHECK(part.values[80] == -infinity);
        CHECK(part.values[0] == 0.0F);
        for (const auto kept : part.residual) CHECK(std::isfinite(kept));
    }
}

TEST_CASE("the bytes are those of the pieces: each rank passes on all but one") {
    for (const std::size_t ranks : {2U, 3U, 4U, 5U}) {
        for (const auto algorithm : {AllReduceAlgorithm::automatic, AllReduceAlgorithm::ring}) {
            SparseRanks all(ranks);
            std::vector<Part> parts(ranks, {Floats(10'000, 1.0F), Floats(10'000)});
            all.reduce(parts, options_of(0.01, algorithm));
            const bool doubling = ranks % 2 == 0 && algorithm == AllReduceAlgorithm::automatic;
            const auto frames = doubling ? ranks / 2 : ranks - 1;
            for (const auto& fabric : all.fabrics) {
                CHECK(fabric->sent_bytes() ==
                      (ranks - 1) * 100 * sizeof(SparseEntry) + frames * convoy::frame_header_bytes);
                CHECK(fabric->received_bytes() == fabric->sent_bytes());
            }
        }
    }
}

TEST_CASE("ranks that disagree on the fraction, the size or the type end with code 76") {
    const std::size_t ranks = GENERATE(2, 3, 4);
    SparseRanks all(ranks, {.deadline = 10s, .grace = 50ms});
    std::vector<Part> parts(ranks, {Floats(1000, 1.0F), Floats(1000)});
    for (std::size_t rank = 0; rank + 1 < ranks; ++rank) all.start(rank, parts[rank], options_of(0.1));
    Floats dense(1000);
    SECTION("the fraction") {
        all.start(ranks - 1, parts[ranks - 1], options_of(0.2));
    }
    SECTION("the size") {
        parts[ranks - 1] = {Floats(2000), Floats(2000)};
        all.start(ranks - 1, parts[ranks - 1], options_of(0.1));
    }
    SECTION("the type") {
        all.ends.push_back(
            asio::co_spawn(all.io, summed(*all.fabrics[ranks - 1], dense, {}), asio::use_future));
    }
    all.finish();
    std::size_t told = 0;
    for (auto& end : all.ends) {
        const auto code = ending(end).code;
        CHECK((code == 76 || code == 74 || code == 75));
        told += code == 76 ? 1 : 0;
    }
    CHECK(told > 0);
}

TEST_CASE("places that do not ascend, or lie beyond the bucket, are refused by the sender's name") {
    asio::io_context io{1};
    auto [to, right] = convoy::make_memory_link(io.get_executor(), "node 0", "node 1");
    auto [from, left] = convoy::make_memory_link(io.get_executor(), "node 0", "node 1");
    convoy::Fabric fabric(io.get_executor(), 0, 2, {.deadline = 10s, .grace = 50ms});
    fabric.link_to(1, std::move(to));
    fabric.link_from(1, std::move(from));
    std::vector<SparseEntry> piece{{1, 1.0F}, {5, 2.0F}, {99, 3.0F}};
    int expected = 65;
    SECTION("beyond the bucket") {
        piece[2].index = 100;
    }
    SECTION("far beyond it") {
        piece[0].index = ~0U;
    }
    SECTION("twice the same") {
        piece[1].index = 1;
    }
    SECTION("descending") {
        piece[1].index = 0;
    }
    SECTION("as they should be") {
        expected = 0;
    }
    const auto header = convoy::encode_frame_header({.kind = convoy::FrameKind::collective,
                                                     .type = convoy::ElementType::sparse_float32,
                                                     .operation = convoy::ExchangeOperation::all_reduce_sum,
                                                     .element_count = 6,
                                                     .first_element = 3,
                                                     .payload_bytes = 3 * sizeof(SparseEntry)});
    asio::co_spawn(io, left->write(header, std::as_bytes(std::span(piece))), asio::use_future);
    Part part{Floats(100), Floats(100)};
    auto end = asio::co_spawn(
        io, summed(fabric, convoy::SparsifiedBuffer{part.values, part.residual}, options_of(0.03)),
        asio::use_future);
    while (end.wait_for(0s) != std::future_status::ready) io.run_one();
    const auto [code, text] = ending(end);
    CHECK(code == expected);
    if (expected != 0) {
        CHECK_THAT(text, Catch::StartsWith("node 1: sent place "));
    } else {
        CHECK(part.values[99] == 3.0F);
    }
}

TEST_CASE("garbage is passed on by nobody: all ranks of a ring end") {
    // Rank 3 of a ring is played by hand: it sends rank 0 a piece with a place beyond the bucket.
    constexpr std::size_t ranks = 4;
    SparseRanks all(ranks, {.deadline = 10s, .grace = 50ms});
    std::vector<Part> parts(ranks, {Floats(100, 1.0F), Floats(100)});
    for (std::size_t rank = 0; rank + 1 < ranks; ++rank)
        all.start(rank, parts[rank], options_of(0.01, AllReduceAlgorithm::ring));
    const auto header = convoy::encode_frame_header({.kind = convoy::FrameKind::collective,
                                                     .type = convoy::ElementType::sparse_float32,
                                                     .operation = convoy::ExchangeOperation::all_reduce_sum,
                                                     .element_count = ranks,
                                                     .first_element = 3,
                                                     .payload_bytes = sizeof(SparseEntry)});
    const SparseEntry entry{1'000'000, 1.0F};
    asio::co_spawn(all.io, all.fabrics[3]->to(0).write(header, std::as_bytes(std::span(&entry, 1))),
                   asio::use_future);
    all.finish();
    const auto [code, text] = ending(all.ends[0]);
    CHECK(code == 65);
    CHECK_THAT(text, Catch::StartsWith("node 3: sent place 1000000 as entry 0 of node 3's gradients"));
    for (std::size_t rank = 1; rank + 1 < ranks; ++rank) {
        const auto [other_code, other_text] = ending(all.ends[rank]);
        CHECK(other_code == 65);
        CHECK_THAT(other_text,
                   Catch::Contains("node 3: sent place 1000000") && Catch::Contains("seen by node 0"));
    }
}

TEST_CASE("what cannot be meant is refused") {
    SparseRanks all(1);
    Part uneven{Floats(3), Floats(2)}, even{Floats(3), Floats(3)};
    all.start(0, uneven, options_of(0.5));
    all.start(0, even, options_of(0.5, AllReduceAlgorithm::tree));
    all.finish();
    for (auto& end : all.ends) CHECK_THROWS_AS(end.get(), convoy::InternalError);
    SparseRanks two(2);
    Floats dense(3);
    two.ends.push_back(
        asio::co_spawn(two.io, summed(*two.fabrics[0], dense, options_of(0.5)), asio::use_future));
    two.finish();
    CHECK_THROWS_AS(two.ends[0].get(), convoy::InternalError);
}
