#include "bench/operator_timing.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "data/dataset.hpp"
#include "train/alone.hpp"
#include "train/run_node.hpp"

namespace convoy {
namespace {

/// So many steps at least are in either epoch; the first one's do not count, as memory is touched for the
/// first time in them.
constexpr std::int64_t warm_up = 3;
/// More than any time allows.
constexpr std::int64_t most_epochs = 1'000'000;
/// Epochs that are trained, the first of which does not count.
constexpr std::int64_t fewest_epochs = 2;

/// Keeps the operators that a node records, and ends the training in time. Nobody is there to agree with.
class KeepsOperators final : public NodeReporter {
  public:
    /// The training takes so many steps at least, and goes on for so long.
    KeepsOperators(std::int64_t fewest_steps, Seconds least_time)
        : fewest_steps_(fewest_steps), least_time_(least_time) {}
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords records) override { all_.append(std::move(records)); }
    void weights(std::span<const std::byte>) override {}
    StepAnswer ask_for_step(std::int64_t step) override {
        if (!began_) began_ = Clock::now();
        training_ = Clock::now() - *began_;
        const bool enough = step > fewest_steps_ && training_ >= least_time_;
        return enough ? StepAnswer::stop : StepAnswer::begin;
    }
    /// The time from the first step to the last question.
    [[nodiscard]] Seconds training() const { return training_; }
    [[nodiscard]] const NodeRecords& all() const { return all_; }

  private:
    std::int64_t fewest_steps_;
    Seconds least_time_;
    std::optional<TimePoint> began_;
    Seconds training_{0.0};
    NodeRecords all_;
};

/// The spec of a run on one node: an epoch to warm up, and those that count.
ExperimentSpec bench_spec(const OperatorBench& bench, const DatasetInfo& info) {
    auto spec = bench.spec;
    const auto steps = std::min(std::max(bench.steps, warm_up), info.train_examples / spec.batch_size);
    spec.nodes = {NodeSpec{.threads = bench.threads}};
    spec.cluster.reset();
    spec.calibration.reset();
    spec.checkpoints.reset();
    spec.target.reset();
    spec.early_stopping = {};
    spec.failures = {};
    spec.faults = {};
    spec.micro_batch_size.reset();
    spec.strategy = {.name = StrategyName::local};
    spec.dataset.train_examples = spec.batch_size * std::max<std::int64_t>(steps, 1);
    spec.dataset.test_examples = 1;
    spec.dataset.validation_fraction = 0.0;
    spec.epochs = most_epochs;  // KeepsOperators ends the training
    spec.max_steps.reset();
    spec.measure.trace_steps = TraceStepsSpec{.from = 1, .count = 0};
    return spec;
}

}  // namespace

TimedOperators time_operators(const OperatorBench& bench, const std::filesystem::path& data_folder) {
    auto every_example = bench.spec.dataset;
    every_example.train_examples.reset();
    NodeAssignment assignment;
    assignment.spec = bench_spec(bench, dataset_info(every_example, data_folder));
    assignment.data_folder = data_folder;
    assignment.threads = assignment.layout_threads = bench.threads;
    NoCommunicator alone;
    KeepsOperators kept(
        fewest_epochs * assignment.spec.dataset.train_examples.value() / assignment.spec.batch_size,
        bench.least_time);
    FormedNetwork network(alone, HostMap(1));
    run_node(assignment, network, kept);

    TimedOperators timed{.rows = kept.all().operators, .training = kept.training()};
    auto& rows = timed.rows;
    std::erase_if(rows, [](const OperatorRecord& row) {
        return row.phase != RunPhase::train || row.epoch < 2 || row.folded_into;
    });
    std::ranges::sort(rows, std::greater{}, &OperatorRecord::total_us);
    return timed;
}

}  // namespace convoy
