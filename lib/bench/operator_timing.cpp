#include "bench/operator_timing.hpp"

#include <algorithm>
#include <functional>

#include "data/dataset.hpp"
#include "train/alone.hpp"
#include "train/run_node.hpp"

namespace convoy {
namespace {

/// So many steps at least are in either epoch; the first one's do not count, as memory is touched for the
/// first time in them.
constexpr std::int64_t warm_up = 3;

/// Keeps what a node records of its operators. Nobody is there to agree with.
class KeepsOperators final : public NodeReporter {
  public:
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords records) override { all_.append(std::move(records)); }
    void weights(std::span<const std::byte>) override {}
    [[nodiscard]] const NodeRecords& all() const { return all_; }

  private:
    NodeRecords all_;
};

/// The spec of a short run on one node: an epoch to warm up, and one that counts.
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
    spec.epochs = bench.epochs;
    spec.max_steps.reset();
    spec.measure.trace_steps = TraceStepsSpec{.from = 1, .count = 0};
    return spec;
}

}  // namespace

std::vector<OperatorRecord> time_operators(const OperatorBench& bench,
                                           const std::filesystem::path& data_folder) {
    auto every_example = bench.spec.dataset;
    every_example.train_examples.reset();
    NodeAssignment assignment;
    assignment.spec = bench_spec(bench, dataset_info(every_example, data_folder));
    assignment.data_folder = data_folder;
    assignment.threads = assignment.layout_threads = bench.threads;
    NoCommunicator alone;
    KeepsOperators kept;
    FormedNetwork network(alone, HostMap(1));
    run_node(assignment, network, kept);

    auto rows = kept.all().operators;
    std::erase_if(rows, [](const OperatorRecord& row) {
        return row.phase != RunPhase::train || row.epoch < 2 || row.folded_into;
    });
    std::ranges::sort(rows, std::greater{}, &OperatorRecord::total_us);
    return rows;
}

}  // namespace convoy
