#include <catch2/catch.hpp>
#include <csignal>

#include "base/error.hpp"
#include "cluster/fake_run.hpp"
#include "cluster/harvest.hpp"
#include "cluster/kept_records.hpp"
#include "tensor/safetensors.hpp"

using Catch::Matchers::Contains;

namespace {

const std::vector<std::byte> fake_weights{std::byte{1}, std::byte{2}, std::byte{250}};

struct Interrupting : convoy::LaunchObserver {
    explicit Interrupting(std::int64_t after) : step(after) {}
    std::int64_t step;
    void on_progress(const convoy::NodeProgress& progress) override {
        if (progress.rank == 0 && progress.step == step) ::raise(SIGINT);
    }
};

}  // namespace

TEST_CASE("records and weights go to the sink, and the launcher holds none") {
    convoy::LaunchObserver observer;
    KeptRecords sink;
    auto options = fake_launch_options({.behaviour = "rounds", .nodes = 3});
    options.sink = &sink;
    const auto outcome = convoy::launch(options, observer);
    CHECK(outcome.records.empty());
    CHECK(outcome.weights.empty());
    CHECK(sink.weights == fake_weights);
    for (const auto node : {0, 1, 2}) {
        CHECK(sink.steps[node].size() == 8);
        CHECK(sink.summaries[node].clock.round_trip_us > 0);
    }
    CHECK_FALSE(sink.interrupted);
}

TEST_CASE("the sink hears of an interruption") {
    KeptRecords sink;
    auto options = fake_launch_options({.behaviour = "endless", .nodes = 2});
    options.sink = &sink;
    Interrupting observer(1);
    CHECK(convoy::launch(options, observer).status == convoy::RunStatus::interrupted);
    CHECK(sink.interrupted);
    CHECK(sink.weights == fake_weights);
}

TEST_CASE("a sink without room for records ends the run, and gets the weights") {
    convoy::LaunchObserver observer;
    KeptRecords sink;
    sink.is_full = true;
    auto options = fake_launch_options({.behaviour = "rounds", .nodes = 2});
    options.sink = &sink;
    try {
        convoy::launch(options, observer);
        FAIL("the run is done");
    } catch (const convoy::OutputError& error) {
        CHECK_THAT(error.what(), Contains("disk: no space left"));
    }
    CHECK(sink.weights == fake_weights);
}

TEST_CASE("a harvest that dropped records gathers no checkpoint") {
    KeptRecords sink;
    convoy::Harvest harvest(2, std::nullopt, &sink, {0});
    const auto end_epoch = [&] {
        for (const std::int64_t rank : {0, 1}) {
            convoy::NodeRecords records;
            records.steps.push_back({.node = rank, .epoch = 1, .step = 1});
            harvest.take_records(rank, std::move(records));
            harvest.take_checkpoint(rank, {});
        }
        return harvest.gather_checkpoint();
    };
    const auto kept = end_epoch();
    REQUIRE(kept);
    CHECK(kept->marks == std::vector<std::uint64_t>{1, 1});
    sink.is_full = true;
    CHECK_FALSE(end_epoch());
    sink.is_full = false;
    CHECK_FALSE(end_epoch());
}

TEST_CASE("one Ctrl-C on a full disk leaves the nodes time to send their weights") {
    KeptRecords sink;
    sink.is_full = true;
    auto options = fake_launch_options({.behaviour = "late_weights", .nodes = 2});
    options.sink = &sink;
    Interrupting observer(1);
    CHECK_THROWS_WITH(convoy::launch(options, observer), Contains("disk: no space left"));
    CHECK(sink.weights == fake_weights);
}

TEST_CASE("weights are kept after a failure if those of all nodes that save some have arrived") {
    const auto layer = [](const std::string& name) {
        return convoy::encode_safetensors(std::vector<convoy::NamedTensor>{{name, {1}, {0.5F}}});
    };
    KeptRecords sink;
    convoy::Harvest harvest(3, std::nullopt, &sink, {0, 2});
    harvest.take_weights(0, layer("conv2d_1.weight"));
    harvest.save_weights();
    CHECK(sink.weights.empty());
    harvest.take_weights(2, layer("dense_1.weight"));
    harvest.save_weights();
    CHECK(convoy::decode_safetensors(sink.weights, "the weights").size() == 2);
}

TEST_CASE("weights of a node that saves alone are kept after the failure of another") {
    KeptRecords sink;
    convoy::Harvest harvest(2, std::nullopt, &sink, {0});
    harvest.take_weights(0, fake_weights);
    harvest.save_weights();
    CHECK(sink.weights == fake_weights);
}

TEST_CASE("a run that ends without the weights of a node has none") {
    const bool has_sink = GENERATE(true, false);
    convoy::LaunchObserver observer;
    KeptRecords sink;
    auto options = fake_launch_options({.behaviour = "rounds", .nodes = 2});
    if (has_sink) options.sink = &sink;
    options.weights_from = {0, 1};
    CHECK(convoy::launch(options, observer).weights.empty());
    CHECK(sink.weights.empty());
}
