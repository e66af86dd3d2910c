#include "spec/without_effect.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using Catch::StartsWith;

namespace {

ExperimentSpec four_nodes(StrategySpec strategy) {
    ExperimentSpec spec;
    spec.nodes.resize(4);
    spec.strategy = std::move(strategy);
    return spec;
}

}  // namespace

TEST_CASE("what changes something, or is as always, is not told") {
    CHECK(fields_without_effect(four_nodes({})).empty());
    CHECK(fields_without_effect(four_nodes({.name = StrategyName::independent})).empty());
    CHECK(fields_without_effect(four_nodes({.name = StrategyName::local_sgd, .average_every = 3})).empty());
    CHECK(fields_without_effect(four_nodes({.overlap_forward = true,
                                            .bucket_bytes = 5,
                                            .segment_bytes = 4096,
                                            .wire_type = WireType::float16}))
              .empty());
    CHECK(fields_without_effect(four_nodes({.wire_type = WireType::top_k, .top_k = {.fraction = 0.5}}))
              .empty());
    CHECK(fields_without_effect(four_nodes({.calibration = AllReduceCalibration{.nodes = 4, .ranges = {}}}))
              .empty());
}

TEST_CASE("a number of restarts is told unless lost nodes are started again") {
    auto spec = four_nodes({});
    spec.failures = {.policy = FailurePolicy::restart, .restarts = 5};
    CHECK(fields_without_effect(spec).empty());
    spec.failures.policy = FailurePolicy::abort;
    CHECK(fields_without_effect(spec) ==
          std::vector<std::string>{
              "$.failures.restarts has no effect but with the policy restart, and with grow"});
    spec.failures = {.policy = FailurePolicy::shrink, .grow = true, .restarts = 5};
    CHECK(fields_without_effect(spec).empty());
}

TEST_CASE("a field of another scheme of sharding is told") {
    auto spec = four_nodes({});
    spec.sharding = {.scheme = ShardingScheme::by_label, .shards_per_node = 3};
    CHECK(fields_without_effect(spec).empty());
    spec.sharding.scheme = ShardingScheme::dirichlet;
    spec.sharding.alpha = 0.5;
    CHECK(fields_without_effect(spec) ==
          std::vector<std::string>{"$.sharding.shards_per_node has no effect but with the scheme by_label"});
    spec.sharding = {.alpha = 0.5};
    CHECK(fields_without_effect(spec) ==
          std::vector<std::string>{"$.sharding.alpha has no effect but with the scheme dirichlet"});
}

TEST_CASE("a cache of chunks is told where no chunk is decoded for a batch") {
    auto spec = four_nodes({});
    spec.dataset.npy = NpySpec{.format = ArrayFormat::hdf5, .chunk_cache_bytes = 0};
    spec.input_pipeline.cache = false;
    CHECK(fields_without_effect(spec).empty());
    const std::vector<std::string> told{
        "$.dataset.chunk_cache_bytes has no effect but with HDF5 files that are read for each batch, so with "
        "input_pipeline.cache false"};
    spec.input_pipeline.cache = true;
    CHECK(fields_without_effect(spec) == told);
    spec.dataset.npy->format = ArrayFormat::npy;
    spec.input_pipeline.cache = false;
    CHECK(fields_without_effect(spec) == told);
}

TEST_CASE("a field that changes nothing is told by its name") {
    const auto told = [](StrategySpec strategy, const char* field) {
        const auto lines = fields_without_effect(four_nodes(std::move(strategy)));
        REQUIRE(lines.size() == 1);
        CHECK_THAT(lines.front(), StartsWith(std::string("$.strategy.") + field + " has no effect"));
    };
    told({.average_every = 3}, "average_every");
    told({.name = StrategyName::local_sgd, .wire_type = WireType::float16}, "wire_type");
    told({.name = StrategyName::independent, .overlap = false}, "overlap");
    told({.top_k = {.fraction = 0.5}}, "top_k");
    told({.staleness = 2}, "staleness");
    told({.segment_bytes = 4096, .wire_type = WireType::top_k}, "segment_bytes");
    told({.bucketing = Bucketing::per_tensor, .bucket_bytes = 5}, "bucket_bytes");
    told({.overlap = false, .overlap_forward = true}, "overlap_forward");
    told({.name = StrategyName::independent, .overlap_forward = true}, "overlap_forward");
    told({.name = StrategyName::local_sgd, .commit = CommitPoint::by_step}, "commit");
    told({.name = StrategyName::model_split, .balance = {BalanceBy::speed}}, "balance");
    told({.replicas = 2}, "replicas");
    told({.micro_batches = 2}, "micro_batches");
    told({.name = StrategyName::model_split, .schedule = PipelineSchedule::zero_bubble}, "schedule");
    told({.algorithm = AllReduceAlgorithm::ring,
          .calibration = AllReduceCalibration{.nodes = 4, .ranges = {}}},
         "calibration");
    told({.calibration = AllReduceCalibration{.nodes = 3, .ranges = {}}}, "calibration");
    auto clipped = four_nodes({.overlap_forward = true});
    clipped.gradient_clipping = GradientClipping{};
    CHECK(fields_without_effect(clipped).size() == 1);
    clipped.gradient_clipping->by = ClipBy::value;
    CHECK(fields_without_effect(clipped).empty());
}

TEST_CASE("MPI has segments and connections of its own") {
    StrategySpec strategy{.segment_bytes = 1024, .connections = 2};
    CHECK(fields_without_effect(four_nodes(strategy)).empty());
    strategy.algorithm = AllReduceAlgorithm::mpi;
    CHECK(fields_without_effect(four_nodes(strategy)) ==
          std::vector<std::string>{
              "$.strategy.segment_bytes has no effect with the algorithm mpi, which cuts messages itself",
              "$.strategy.connections has no effect with the algorithm mpi, which has connections of its "
              "own"});
}
