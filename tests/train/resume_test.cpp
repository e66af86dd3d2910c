// A run that goes on from any of its checkpoints ends with the same bits as one in one piece.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "spec/parse.hpp"
#include "train/run_node.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

class OneNode final : public Communicator {
  public:
    Ticket start(ReduceBuffer, const Exchange&) override { return Ticket{0}; }
    ExchangeTimes wait(Ticket) override { return {}; }
    std::size_t wait_any(std::span<const Ticket>) override { return 0; }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }
};

/// All that a node told.
struct Told {
    NodeRecords all;
    std::vector<std::size_t> steps_together;  ///< of each call that told steps
    std::vector<NodeRecords> before;          ///< each checkpoint
    std::vector<NodeCheckpoint> checkpoints;
    std::vector<std::byte> trained;
};

class TellingReporter final : public NodeReporter {
  public:
    explicit TellingReporter(Told& told) : told_(told) {}
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords records) override {
        if (!records.steps.empty()) told_.steps_together.push_back(records.steps.size());
        told_.all.append(std::move(records));
    }
    void weights(std::span<const std::byte> safetensors) override {
        told_.trained.assign(safetensors.begin(), safetensors.end());
    }
    void checkpoint(NodeCheckpoint checkpoint) override {
        told_.before.push_back(told_.all);
        told_.checkpoints.push_back(std::move(checkpoint));
    }

  private:
    Told& told_;
};

/// Ten steps in three epochs: 4 + 4 + 2.
json json_spec_with(const char* changes) {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 40, "test_examples": 8, "validation_fraction": 0.2},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 3, "activation": "relu"},
            {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
            {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 9, "epochs": 3, "max_steps": 10, "nodes": [{"threads": 1}],
        "checkpoints": {"every_steps": 1}})");
    spec.merge_patch(json::parse(changes));
    return spec;
}

Told run(const json& spec, std::optional<NodeCheckpoint> resume = {}) {
    OneNode communicator;
    Told told;
    TellingReporter reporter(told);
    NodeAssignment assignment;
    assignment.spec = parse_spec(spec);
    assignment.resume = std::move(resume);
    FormedNetwork network(communicator, HostMap(1));
    run_node(assignment, network, reporter);
    return told;
}

/// What does not depend on the clock.
auto scores(const NodeRecords& records) {
    std::vector<std::string> all;
    for (const auto& step : records.steps)
        all.push_back(fmt::format("step {} of {}: {} {} {}", step.step, step.epoch, step.loss, step.correct,
                                  step.examples));
    for (const auto& epoch : records.epochs)
        all.push_back(fmt::format("epoch {}: {} {} {} {}", epoch.epoch, epoch.train.loss_sum,
                                  epoch.train.correct, epoch.validation.loss_sum, epoch.test.loss_sum));
    for (const auto& row : records.operators)
        if (row.phase != RunPhase::checkpoint)
            all.push_back(fmt::format("{} {} of {}: {}", row.operator_name, row.name, row.epoch, row.calls));
    return all;
}

}  // namespace

TEST_CASE("a run that goes on from a checkpoint ends with the same bits") {
    const auto* changes = GENERATE(
        R"({})", R"({"kernels": "xtensor"})", R"({"micro_batch_size": 4})",
        R"({"optimizer": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9}, "input_pipeline": {"prefetch": 0}})",
        R"({"optimizer": "adagrad", "input_pipeline": {"augmentation": {"shift": 2, "flip": true}}})",
        R"({"optimizer": "adam", "schedule": {"name": "cosine", "warm_up_epochs": 0.5}})",
        R"({"early_stopping": {"patience": 1, "min_improvement": 100}, "epochs": 9, "max_steps": null})",
        R"({"input_pipeline": {"prepare": "first_epoch", "shuffle": false}, "strategy": "local"})",
        R"({"strategy": "independent", "kernels": {"fusion": false}})",
        R"({"model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 3}, {"type": "batch_norm"},
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]}})");
    const auto spec = json_spec_with(changes);
    CAPTURE(changes);
    const auto whole = run(spec);
    REQUIRE(whole.checkpoints.size() >= 7);
    for (std::size_t i = 0; i < whole.checkpoints.size(); ++i) {
        CAPTURE(i);
        CHECK(whole.checkpoints[i].step == static_cast<std::int64_t>(i + 1));
        auto rest = run(spec, whole.checkpoints[i]);
        CHECK(rest.trained == whole.trained);
        auto records = whole.before[i];
        records.append(std::move(rest.all));
        CHECK(scores(records) == scores(whole.all));
        CHECK(rest.checkpoints.size() + i + 1 == whole.checkpoints.size());
    }
}

TEST_CASE("bfloat16 goes on to the same bits, where the processor has it") {
    const auto spec = json_spec_with(R"({"kernels": {"compute_type": "bfloat16"}})");
    const auto whole = run(spec);
    CHECK(run(spec, whole.checkpoints.at(2)).trained == whole.trained);
}

TEST_CASE("checkpoints are taken as often as the spec says, and none at the end") {
    const auto steps = [](const char* changes) {
        std::vector<std::int64_t> found;
        for (const auto& checkpoint : run(json_spec_with(changes)).checkpoints)
            found.push_back(checkpoint.step);
        return found;
    };
    CHECK(steps(R"({"checkpoints": {"every_steps": 3}})") == std::vector<std::int64_t>{3, 6, 9});
    CHECK(steps(R"({"checkpoints": {"every_steps": 5}})") == std::vector<std::int64_t>{5});
    CHECK(steps(R"({"checkpoints": {"every_steps": 4}})") == std::vector<std::int64_t>{4, 8});
    CHECK(steps(R"({"checkpoints": null})").empty());
}

TEST_CASE("steps are told while an epoch lasts, and a checkpoint holds none") {
    const auto spec = json_spec_with(R"({
        "dataset": {"train_examples": 700, "validation_fraction": null}, "batch_size": 1, "epochs": 1,
        "max_steps": null, "checkpoints": {"every_steps": 600},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]}})");
    const auto whole = run(spec);
    CHECK(whole.steps_together == std::vector<std::size_t>{256, 256, 88, 100});
    REQUIRE(whole.all.steps.size() == 700);
    for (std::size_t i = 0; i < 700; ++i) CHECK(whole.all.steps[i].step == static_cast<std::int64_t>(i + 1));
    REQUIRE(whole.checkpoints.size() == 1);
    CHECK(whole.checkpoints[0].steps.empty());
    const auto rest = run(spec, whole.checkpoints[0]);
    CHECK(rest.all.steps.size() == 100);
    CHECK(rest.all.epochs.at(0).train == whole.all.epochs.at(0).train);
    CHECK(rest.trained == whole.trained);
}

TEST_CASE("totals go on from a checkpoint, and its time is a phase of its own") {
    const auto spec = json_spec_with("{}");
    auto checkpoint = run(spec).checkpoints.at(4);
    checkpoint.so_far.total_s = 1000.0;
    checkpoint.so_far.train_s = 500.0;
    checkpoint.so_far.checkpoint_s = 250.0;
    checkpoint.so_far.peak_resident_bytes = 1ULL << 50U;
    checkpoint.epoch.train_s = 125.0;
    REQUIRE(checkpoint.so_far.contention);
    checkpoint.so_far.contention->elapsed_s = 1000.0;
    checkpoint.so_far.contention->involuntary_switches = 1'000'000;
    const auto rest = run(spec, checkpoint);
    const auto& summary = rest.all.summaries.at(0);
    CHECK(summary.total_s > 1000.0);
    CHECK(summary.train_s > 625.0);
    CHECK(summary.train_s < 700.0);
    CHECK(summary.checkpoint_s > 250.0);
    CHECK(summary.peak_resident_bytes == 1ULL << 50U);
    CHECK(summary.steps == 10);
    REQUIRE(summary.contention);
    CHECK(summary.contention->elapsed_s > 1000.0);
    CHECK(summary.contention->elapsed_s < 2000.0);
    CHECK(summary.contention->involuntary_switches >= 1'000'000);
    CHECK(rest.all.epochs.at(0).train_s > 125.0);
    for (const auto& sample : rest.all.system) CHECK((sample.time_s > 1000.0 || sample.time_s < 100.0));
    CHECK(rest.all.system.back().time_s > 1000.0);
}

TEST_CASE("a checkpoint that cannot be of this run is refused") {
    const auto spec = json_spec_with("{}");
    const auto checkpoint = run(spec).checkpoints.at(4);
    const auto refusal = [&](auto change) -> std::string {
        auto changed = checkpoint;
        change(changed);
        try {
            run(spec, changed);
        } catch (const DataError& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(refusal([](auto&) {}) == "accepted");
    CHECK_THAT(refusal([](auto& c) { c.step = 11; }), Catch::Contains("is at step 11"));
    CHECK_THAT(refusal([](auto& c) { c.epoch.epoch = 1; }), Catch::Contains("step 5 in epoch 1"));
    CHECK_THAT(refusal([](auto& c) { c.tensors.pop_back(); }), Catch::Contains("the checkpoint"));
    CHECK_THAT(refusal([](auto& c) { c.tensors.clear(); }), Catch::Contains("the checkpoint"));
}
