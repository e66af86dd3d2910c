#include "program/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "program/fake_communicator.hpp"

using namespace convoy;
using namespace convoy::test;
using Lines = std::vector<std::string>;

namespace {

/// Writes its name and what it knows of the step into a log.
class LoggingKernel final : public Kernel {
  public:
    LoggingKernel(std::string name, Lines& log) : name_(std::move(name)), log_(log) {}
    void run(const StepContext& context) override {
        log_.push_back(fmt::format("{} seed {} epoch {} step {} examples {} of {}", name_, context.seed,
                                   context.epoch, context.step, context.examples.size(),
                                   context.global_examples));
    }

  private:
    std::string name_;
    Lines& log_;
};

class FakeProgram final : public BoundProgram {
  public:
    FakeProgram(const Program& program, Lines& log)
        : program_(program), log_(log), storage_(program.buckets.size()) {
        for (std::size_t i = 0; i < program.buckets.size(); ++i) {
            storage_[i].resize(static_cast<std::size_t>(program.buckets[i].elements));
        }
        for (const auto& op : program.operators) {
            auto& kernels = kernels_.emplace_back();
            if (op.pass == Pass::input || op.pass == Pass::communication) continue;
            // As a back-end may: a reorder of its own before the first forward operator.
            if (op.name == "a")
                kernels.push_back({"Reorder", "a", std::make_unique<LoggingKernel>("reorder a", log)});
            kernels.push_back({std::string(operator_name(op.kind)), op.name,
                               std::make_unique<LoggingKernel>(op.name, log)});
        }
    }
    [[nodiscard]] const Program& program() const override { return program_; }
    std::span<BoundKernel> kernels(std::size_t operator_index) override {
        return kernels_.at(operator_index);
    }
    void feed(std::size_t operator_index, const Batch& batch) override {
        log_.push_back(
            fmt::format("feed {} of {}", program_.operators.at(operator_index).name, batch.size()));
    }
    std::span<float> bucket(std::size_t bucket_index) override { return storage_.at(bucket_index); }
    [[nodiscard]] StepMetrics metrics() const override { return {.loss_sum = 2.5, .correct = 3}; }
    [[nodiscard]] std::optional<double> told(TensorRole role) const override {
        return role == TensorRole::gradient_norm ? 0.5 : 0.25;
    }
    [[nodiscard]] std::vector<float> read(TensorId) const override { return {}; }

  private:
    const Program& program_;
    Lines& log_;
    std::vector<std::vector<float>> storage_;
    std::vector<std::vector<BoundKernel>> kernels_;
};

class FakeSource final : public BatchSource {
  public:
    explicit FakeSource(std::size_t examples) : labels_(examples), numbers_(examples) {}
    Batch next() override {
        return {.values = {}, .labels = labels_, .examples = numbers_, .global_examples = 9};
    }

  private:
    std::vector<std::int32_t> labels_;
    std::vector<std::uint32_t> numbers_;
};

/// Two gradients in two buckets, waited for in the order in which they started, with one fused operator.
Program two_buckets(std::int64_t batch) {
    Program program;
    program.world_size = 2;
    program.batch = batch;
    program.layout_batch = 4;
    program.tensors = {
        {"images", {batch, 1}, TensorRole::input, true}, {"labels", {batch}, TensorRole::input, true},
        {"g0", {16}, TensorRole::gradient, false},       {"g1", {32}, TensorRole::gradient, false},
        {"bucket_0", {16}, TensorRole::bucket, false},   {"bucket_1", {32}, TensorRole::bucket, false}};
    program.buckets = {{TensorId{4}, {TensorId{2}}, {0}, 16}, {TensorId{5}, {TensorId{3}}, {0}, 32}};
    const auto communicate = [](OperatorKind kind, int storage) {
        const auto id = TensorId{storage};
        return Operator{kind,
                        fmt::format("bucket_{}", storage - 4),
                        Pass::communication,
                        {id},
                        {id},
                        ExchangeAttributes{{.options = {.segment_bytes = 64}}},
                        {}};
    };
    const auto read = [](const char* name, std::vector<TensorId> result, ReadThing thing) {
        const DatasetAttributes attributes{.thing = thing};
        return Operator{OperatorKind::dataset, name, Pass::input, {}, std::move(result), attributes, {}};
    };
    program.operators = {read("batch", {TensorId{0}}, ReadThing::values),
                         read("labels", {TensorId{1}}, ReadThing::labels),
                         read("numbers", {}, ReadThing::numbers),
                         {OperatorKind::fused_conv2d,
                          "a",
                          Pass::forward,
                          {TensorId{0}, TensorId{3}, TensorId{3}},
                          {TensorId{2}},
                          WindowAttributes{},
                          {OperatorKind::conv2d, OperatorKind::relu}},
                         communicate(OperatorKind::exchange_start, 4),
                         {OperatorKind::zeros_like, "b", Pass::backward, {}, {TensorId{3}}, {}, {}},
                         communicate(OperatorKind::exchange_start, 5),
                         communicate(OperatorKind::exchange_wait, 4),
                         {OperatorKind::apply_gradient_descent,
                          "c",
                          Pass::update,
                          {TensorId{3}, TensorId{3}},
                          {TensorId{3}},
                          UpdateAttributes{},
                          {}},
                         communicate(OperatorKind::exchange_wait, 5),
                         // The fake has no kernel for it: it says that this node computes the loss.
                         {OperatorKind::softmax_cross_entropy, "loss", Pass::input, {}, {}, {}, {}}};
    return program;
}

/// All that running a program takes, with a log of what happened.
struct Stage {
    explicit Stage(std::int64_t batch) : Stage(two_buckets(batch)) {}
    explicit Stage(Program to_run) : program(std::move(to_run)), bound(program, log), communicator(log) {
        timer.begin_epoch(1, 4);
    }
    Lines log;
    Program program;
    FakeProgram bound;
    FakeCommunicator communicator;
    OperatorTimer timer{1, RunPhase::train, {1, 9}};
    StepState state;
};

}  // namespace

TEST_CASE("operators run in the program's order, with what they need to know of the step") {
    Stage stage(4);
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    const auto result =
        executor.run(source, {.seed = 7, .epoch = 2, .step = 11, .examples = {}, .global_examples = 0});
    CHECK(stage.log == Lines{"feed batch of 4", "feed labels of 4",
                             "reorder a seed 7 epoch 2 step 11 examples 4 of 9",
                             "a seed 7 epoch 2 step 11 examples 4 of 9", "start 16 by 64",
                             "b seed 7 epoch 2 step 11 examples 4 of 9", "start 32 by 64", "wait 100",
                             "c seed 7 epoch 2 step 11 examples 4 of 9", "wait 101"});
    CHECK(result.examples == 4);
    CHECK(result.metrics.loss_sum == 2.5);
    CHECK(result.metrics.correct == 3);
    CHECK(result.step >= result.compute + result.wait);
    CHECK(result.compute.count() > 0.0);
    CHECK(result.wait.count() > 0.0);
}

TEST_CASE("an exchange with nothing between its start and its wait is one call of the communicator") {
    auto program = two_buckets(4);
    program.operators.at(9).kind = OperatorKind::exchange;  // the second's wait
    program.operators.erase(program.operators.begin() + 6);
    Stage stage(std::move(program));
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    executor.run(source, {});
    const Lines waited{"start 16 by 64",
                       "b seed 0 epoch 0 step 0 examples 4 of 9",
                       "wait 100",
                       "c seed 0 epoch 0 step 0 examples 4 of 9",
                       "whole: start 32 by 64",
                       "wait 101"};
    CHECK(Lines(stage.log.begin() + 4, stage.log.end()) == waited);
    NodeRecords records;
    stage.timer.flush(records);
    CHECK(std::ranges::count(records.operators, "CollectiveReduceStart", &OperatorRecord::operator_name) ==
          1);
    CHECK(std::ranges::count(records.operators, "CollectiveReduce", &OperatorRecord::operator_name) == 2);
}

TEST_CASE("a program that averages over its own examples is told of no others") {
    Stage stage(4);
    stage.program.averages_over = AveragesOver::own_examples;
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    executor.run(source, {});
    CHECK(stage.log.at(3) == "a seed 0 epoch 0 step 0 examples 4 of 4");
}

TEST_CASE("every operator has its row, exchanges with their flight") {
    Stage stage(4);
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    executor.run(source, {});
    executor.run(source, {.seed = 0, .epoch = 0, .step = 1, .examples = {}, .global_examples = 0});
    NodeRecords records;
    stage.timer.flush(records);

    Lines rows;
    for (const auto& row : records.operators) {
        rows.push_back(fmt::format("{} {} {}{}", row.operator_name, row.name, row.calls,
                                   row.folded_into ? " in " + *row.folded_into : ""));
        CHECK(row.communication.has_value() == (row.operator_name == "CollectiveReduce"));
        if (row.communication) CHECK(row.communication->in_flight_us == Approx(100.0));
        if (row.communication) CHECK(row.communication->skew_us == Approx(40.0));
    }
    CHECK(rows == Lines{"Dataset batch 2", "_CopyBatch batch 2", "_CopyBatch labels 2", "Reorder a 2",
                        "_FusedConv2D a 2", "Conv2D a 0 in _FusedConv2D", "Relu a 0 in _FusedConv2D",
                        "CollectiveReduceStart bucket_0 2", "ZerosLike b 2",
                        "CollectiveReduceStart bucket_1 2", "CollectiveReduce bucket_0 2",
                        "ResourceApplyGradientDescent c 2", "CollectiveReduce bucket_1 2"});
}

TEST_CASE("the parts of an exchange have its number, and tell how it is carried out") {
    Stage stage(4);
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    for (std::int64_t step = 1; step <= 2; ++step) {
        stage.timer.begin_step(step);
        executor.run(source, {});
    }
    NodeRecords records;
    stage.timer.flush(records);
    Lines parts;
    for (const auto& slice : records.trace) {
        if (!slice.exchange || slice.name != "bucket_0") continue;
        const auto& exchange = *slice.exchange;
        parts.push_back(fmt::format("{} {} call {} of step {}", slice.track, static_cast<int>(exchange.part),
                                    exchange.call, slice.step));
        CHECK(exchange.way.verb == "all_reduce");
        CHECK(exchange.way.wire_type == "float32");
        CHECK_FALSE(exchange.way.algorithm.empty());
        CHECK_FALSE(exchange.way.peer.has_value());
        CHECK(exchange.sent_bytes == (exchange.part == ExchangePart::start ? 0 : 64));
        if (exchange.part == ExchangePart::flight) CHECK(exchange.queued_us == Approx(20.0));
        if (exchange.part == ExchangePart::flight) CHECK(exchange.skew_us == Approx(20.0));
    }
    CHECK(parts == Lines{"compute 0 call 1 of step 1", "compute 2 call 1 of step 1",
                         "communication 1 call 1 of step 1", "compute 0 call 2 of step 2",
                         "compute 2 call 2 of step 2", "communication 1 call 2 of step 2"});
}

TEST_CASE("a batch of another size is a bug, before anything is fed") {
    Stage stage(4);
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(3);
    CHECK_THROWS_AS(executor.run(source, {}), InternalError);
    CHECK(stage.log.empty());
}

TEST_CASE("the first operator that reads of a batch takes it, whatever it reads") {
    auto program = two_buckets(4);
    program.operators.erase(program.operators.begin(), program.operators.begin() + 2);
    Stage stage(std::move(program));
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    executor.run(source, {});
    CHECK(stage.log.at(0) == "reorder a seed 0 epoch 0 step 0 examples 4 of 9");
    NodeRecords records;
    stage.timer.flush(records);
    CHECK(std::ranges::count(records.operators, "Dataset", &OperatorRecord::operator_name) == 1);
    CHECK(std::ranges::count(records.operators, "_CopyBatch", &OperatorRecord::operator_name) == 0);
}

TEST_CASE("an empty share has no metrics") {
    Stage stage(0);
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(0);
    const auto result = executor.run(source, {});
    CHECK(result.examples == 0);
    CHECK(result.metrics.loss_sum == 0.0);
    CHECK(result.metrics.correct == 0);
}

TEST_CASE("what the communicator throws comes through, and no update runs") {
    Stage stage(4);
    stage.communicator.lost = true;
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    CHECK_THROWS_AS(executor.run(source, {}), NodeLostError);
    CHECK(stage.log.back() == "wait 100");
}

TEST_CASE("a sum may be waited for in another program, and its update is of the step that started it") {
    auto program = two_buckets(4);
    std::erase_if(program.operators, [](const Operator& op) {
        return op.kind == OperatorKind::exchange_wait || op.pass == Pass::update;
    });
    Stage stage(std::move(program));
    Executor first(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(4);
    const StepContext before{.seed = 7, .step = 0, .examples = {}, .global_examples = 9};
    const auto result = first.run(source, before);
    CHECK(stage.log == Lines{"feed batch of 4", "feed labels of 4",
                             "reorder a seed 7 epoch 0 step 0 examples 4 of 9",
                             "a seed 7 epoch 0 step 0 examples 4 of 9", "start 16 by 64",
                             "b seed 7 epoch 0 step 0 examples 4 of 9", "start 32 by 64"});
    CHECK(result.examples == 4);

    auto steady = two_buckets(4);
    auto& operators = steady.operators;
    std::rotate(operators.begin() + 3, operators.begin() + 7, operators.end());  // waits and the update first
    operators.at(4).of_step_before = true;
    FakeProgram bound(steady, stage.log);
    Executor second(bound, stage.communicator, stage.timer, stage.state);
    stage.state.before = before;
    stage.log.clear();
    second.run(source, {.seed = 7, .step = 1, .examples = {}});
    CHECK(stage.log == Lines{"feed batch of 4", "feed labels of 4", "wait 100",
                             "c seed 7 epoch 0 step 0 examples 0 of 9", "wait 101",
                             "reorder a seed 7 epoch 0 step 1 examples 4 of 9",
                             "a seed 7 epoch 0 step 1 examples 4 of 9", "start 16 by 64",
                             "b seed 7 epoch 0 step 1 examples 4 of 9", "start 32 by 64"});
    stage.log.clear();
    second.run(source, {.seed = 7, .step = 2, .examples = {}});
    CHECK(stage.log.at(2) == "wait 102");
}

TEST_CASE("a wait for an exchange that was not started is a bug") {
    auto program = two_buckets(0);
    std::erase_if(program.operators,
                  [](const Operator& op) { return op.kind != OperatorKind::exchange_wait; });
    Stage stage(std::move(program));
    Executor executor(stage.bound, stage.communicator, stage.timer, stage.state);
    FakeSource source(0);
    CHECK_THROWS_AS(executor.run(source, {}), InternalError);
    CHECK(stage.log.empty());
}

TEST_CASE("exact sums are added up, reduced and taken bucket by bucket") {
    Stage stage(4);
    auto program = stage.program;
    const auto on_bucket = [](OperatorKind kind, Attributes attributes) {
        const auto id = TensorId{4};
        return Operator{kind, "bucket_0", Pass::communication, {id}, {id}, std::move(attributes), {}};
    };
    const ExchangeAttributes exact{.exchange = {.options = {.segment_bytes = 64}}, .exact = true};
    program.operators = {on_bucket(OperatorKind::accumulate, {}), on_bucket(OperatorKind::accumulate, {}),
                         on_bucket(OperatorKind::exchange, exact), on_bucket(OperatorKind::take_sums, {})};
    FakeProgram bound(program, stage.log);
    std::ranges::fill(bound.bucket(0), 0.25F);
    StepState state;
    auto& sums = state.sums.emplace(std::vector<std::int64_t>{16, 32});
    Executor executor(bound, stage.communicator, stage.timer, state);
    FakeSource source(4);
    executor.run(source, {});
    CHECK(stage.log == Lines{"whole: start 16 integers by 64", "wait 100"});
    CHECK(std::ranges::count(bound.bucket(0), 0.5F) == 16);
    CHECK(std::ranges::count(sums.values(0), 0) == 16);
    CHECK_THROWS_AS(Executor(bound, stage.communicator, stage.timer, stage.state), InternalError);
}

TEST_CASE("an exchange without a bucket is a bug") {
    Stage stage(4);
    auto program = stage.program;
    program.buckets.pop_back();
    FakeProgram bound(program, stage.log);
    CHECK_THROWS_AS(Executor(bound, stage.communicator, stage.timer, stage.state), InternalError);
}
