#include "spec/same_bits.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

ExperimentSpec exact_spec() {
    ExperimentSpec spec;
    spec.batch_size = 32;
    spec.micro_batch_size = 8;
    spec.nodes.resize(2);
    return spec;
}

}  // namespace

TEST_CASE("bits are the same for each number of nodes with micro-batches only") {
    CHECK_FALSE(bits_depend_on_nodes(exact_spec()));
    CHECK(notes_on_bits(exact_spec()).empty());
    auto spec = exact_spec();
    spec.micro_batch_size.reset();
    CHECK_THAT(bits_depend_on_nodes(spec).value(), Contains("summed as float32"));
    CHECK(notes_on_bits(spec).empty());  // nobody was promised anything
}

TEST_CASE("each field that breaks the promise of micro-batches is named") {
    const auto reason = [](auto change) {
        auto spec = exact_spec();
        change(spec);
        const auto notes = notes_on_bits(spec);
        REQUIRE(notes.size() == 1);
        CHECK_THAT(notes.front(), Contains(bits_depend_on_nodes(spec).value()));
        return *bits_depend_on_nodes(spec);
    };
    CHECK_THAT(reason([](auto& spec) { spec.sharding.scheme = ShardingScheme::contiguous; }),
               Contains("contiguous"));
    CHECK_THAT(reason([](auto& spec) { spec.sharding.scheme = ShardingScheme::dirichlet; }),
               Contains("dirichlet"));
    CHECK_THAT(reason([](auto& spec) { spec.schedule.scale_by_nodes = true; }), Contains("scale_by_nodes"));
    CHECK_THAT(reason([](auto& spec) { spec.early_stopping.patience = 1; }), Contains("early_stopping"));
    CHECK_THAT(reason([](auto& spec) { spec.nodes[1].threads = 2; }), Contains("threads"));
    CHECK_THAT(reason([](auto& spec) { spec.nodes[1].kernels = KernelSpec{.recompute = true}; }),
               Contains("kernels"));
}

TEST_CASE("nodes without examples are told") {
    auto spec = exact_spec();
    spec.micro_batch_size = 32;
    REQUIRE(notes_on_bits(spec).size() == 1);
    CHECK_THAT(notes_on_bits(spec).front(), Contains("1 micro-batch for 2 nodes"));
    spec.micro_batch_size = 31;
    CHECK(notes_on_bits(spec).empty());
}

TEST_CASE("workers that take steps apart do not promise the same bits, and a note says so") {
    ExperimentSpec spec;
    spec.strategy.name = StrategyName::parameter_server;
    CHECK(notes_on_bits(spec).empty());
    spec.strategy.staleness = 3;
    REQUIRE(notes_on_bits(spec).size() == 1);
    CHECK_THAT(notes_on_bits(spec).front(), Contains("$.strategy.staleness"));
    CHECK_THAT(bits_depend_on_nodes(spec).value_or(""), Contains("$.strategy.staleness"));
    spec.strategy.name = StrategyName::ring_allreduce;  // where it has no effect
    CHECK(notes_on_bits(spec).empty());
}

TEST_CASE("MPI sums floats in an order of its own, so no bits are promised") {
    ExperimentSpec spec;
    spec.nodes.resize(2);
    CHECK(notes_on_bits(spec).empty());
    spec.strategy.algorithm = AllReduceAlgorithm::mpi;
    REQUIRE(notes_on_bits(spec).size() == 1);
    CHECK_THAT(notes_on_bits(spec).front(), Contains("does not promise the same bits in each run"));
    CHECK_THAT(bits_depend_on_nodes(spec).value_or(""), Contains("an order of its own"));
}
