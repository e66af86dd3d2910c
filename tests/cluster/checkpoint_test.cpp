#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cluster/fake_run.hpp"
#include "cluster/kept_records.hpp"
#include "cluster/messages.hpp"

using Catch::Matchers::Contains;
using convoy::RunCheckpoint;

namespace {

struct Silent : convoy::LaunchObserver {
    std::vector<std::string> notices;
    std::promise<void> in_step_2;
    void on_notice(const std::string& line) override { notices.push_back(line); }
    void on_progress(const convoy::NodeProgress& progress) override {
        if (progress.rank == 0 && progress.phase == "step 2") in_step_2.set_value();
    }
};

}  // namespace

TEST_CASE("the launcher keeps what all nodes had in hand, says how far records count, and goes on from it") {
    Silent observer;
    auto options = fake_launch_options({.behaviour = "checkpoints", .nodes = 2});
    std::vector<RunCheckpoint> kept;
    KeptRecords sink;
    options.sink = &sink;
    options.keep_checkpoint = [&](const RunCheckpoint& checkpoint) { kept.push_back(checkpoint); };
    const auto whole = convoy::launch(options, observer);
    REQUIRE(kept.size() == 4);
    for (std::uint64_t step = 1; step <= 4; ++step) {
        const auto& checkpoint = kept[step - 1];
        CHECK(checkpoint.step() == static_cast<std::int64_t>(step));
        REQUIRE(checkpoint.nodes.size() == 2);
        CHECK(checkpoint.nodes[0].tensors == std::vector{std::byte{7}, static_cast<std::byte>(step)});
        CHECK(checkpoint.nodes[1].tensors.empty());
        CHECK(checkpoint.nodes[1].epoch.node == 1);
        CHECK(checkpoint.marks == std::vector{step, step});
        CHECK(checkpoint.resumed_from_steps.empty());
    }
    CHECK(whole.resumed_from_steps.empty());
    CHECK(whole.records.empty());
    for (const auto node : {0, 1}) CHECK(sink.steps[node] == std::vector<std::int64_t>{1, 2, 3, 4});

    KeptRecords rest;
    options.sink = &rest;
    options.resume = kept[1];
    kept.clear();
    const auto resumed = convoy::launch(options, observer);
    CHECK(resumed.resumed_from_steps == std::vector<std::int64_t>{2});
    for (const auto node : {0, 1}) CHECK(rest.steps[node] == std::vector<std::int64_t>{3, 4});
    REQUIRE(kept.size() == 2);
    CHECK(kept[1].resumed_from_steps == std::vector<std::int64_t>{2});
    CHECK(observer.notices.empty());
}

TEST_CASE("a checkpoint that cannot be kept is a warning, and the run goes on") {
    Silent observer;
    auto options = fake_launch_options({.behaviour = "checkpoints", .nodes = 2});
    std::int64_t kept = 0;
    options.keep_checkpoint = [&](const RunCheckpoint& checkpoint) {
        if (checkpoint.step() == 2) throw convoy::OutputError("disk: no space left");
        ++kept;
    };
    const auto outcome = convoy::launch(options, observer);
    CHECK(kept == 3);
    CHECK(outcome.warnings == std::vector<std::string>{"no checkpoint of step 2: disk: no space left"});
    CHECK(observer.notices.size() == 1);
}

TEST_CASE("no checkpoint is kept behind records that were dropped") {
    Silent observer;
    auto options = fake_launch_options({.behaviour = "checkpoints", .nodes = 2});
    KeptRecords sink;
    sink.last_step = 2;
    options.sink = &sink;
    std::vector<std::int64_t> kept;
    options.keep_checkpoint = [&](const RunCheckpoint& checkpoint) { kept.push_back(checkpoint.step()); };
    CHECK_THROWS_WITH(convoy::launch(options, observer), Contains("disk: no space left"));
    REQUIRE_FALSE(kept.empty());
    CHECK(kept.back() <= 2);  // of step 2, where both nodes told it before one told step 3
    CHECK(std::ranges::any_of(observer.notices, [](const std::string& notice) {
        return notice == "warning: no checkpoint of step 3: disk: no space left";
    }));
}

TEST_CASE("nodes that tell checkpoints of different steps disagree") {
    Silent observer;
    const auto options = fake_launch_options({.behaviour = "checkpoints", .nodes = 3});
    try {
        convoy::launch(options, observer);
        FAIL("they agreed");
    } catch (const convoy::Error& error) {
        CHECK(error.code() == convoy::ExitCode::disagreement);
        CHECK_THAT(error.what(), Contains("sent a checkpoint of step 2, node 0 one of step 1"));
    }
}

TEST_CASE("the launcher listens while a checkpoint is being kept, and the nodes go on meanwhile") {
    Silent observer;
    auto options = fake_launch_options({.behaviour = "checkpoints", .nodes = 2});
    auto in_next_step = observer.in_step_2.get_future();
    bool heard = false;
    options.keep_checkpoint = [&](const RunCheckpoint& checkpoint) {
        if (checkpoint.step() == 1)
            heard = in_next_step.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    };
    CHECK(convoy::launch(options, observer).warnings.empty());
    CHECK(heard);
}

TEST_CASE("a node's checkpoint survives the way") {
    convoy::NodeCheckpoint checkpoint;
    checkpoint.step = 3;
    checkpoint.validation = {.best_loss = 0.25, .epochs_without_improvement = 2};
    checkpoint.epoch = {1, 2, {3.5, 4, 5}, {}, {}, 12.5, 13.5};
    checkpoint.steps = {{1, 2, 3, 0.1, 4, 5, 6.5, 7.5, 8.5}};
    checkpoint.tensors = {std::byte{0}, std::byte{255}};
    CHECK(convoy::messages::decode_checkpoint(convoy::messages::encode(checkpoint)) == checkpoint);
    auto message = convoy::messages::encode(checkpoint);
    message["node"]["step"] = -1;
    CHECK_THROWS_WITH(convoy::messages::decode_checkpoint(message), Contains("step: expected an integer"));
}
