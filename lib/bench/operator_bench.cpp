#include "bench/operator_bench.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "data/dataset.hpp"
#include "kernels/onednn/peak.hpp"
#include "report/columns.hpp"
#include "strategy/compile.hpp"
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
    void agree(const std::string&) override {}
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
    spec.checkpoints.reset();
    spec.target.reset();
    spec.early_stopping = {};
    spec.micro_batch_size.reset();
    spec.strategy = {.name = StrategyName::local};
    spec.dataset.train_examples = spec.batch_size * std::max<std::int64_t>(steps, 1);
    spec.dataset.test_examples = 1;
    spec.dataset.validation_fraction = 0.0;
    spec.epochs = 2;
    spec.max_steps.reset();
    spec.measure.trace_steps = 0;
    return spec;
}

/// What was counted over so many calls, for one.
std::int64_t per_call(std::int64_t count, std::int64_t calls) {
    return calls > 0 ? count / calls : 0;
}

/// In thousands of millions a second.
Cell rate(std::int64_t count, double time_us) {
    if (count == 0 || time_us <= 0.0) return {};
    return static_cast<double>(count) / time_us / 1e3;
}

Column shown(std::string name, std::string unit, Shown how) {
    return {.name = std::move(name), .unit = std::move(unit), .left = false, .shown = std::move(how)};
}

}  // namespace

OperatorSpeeds bench_operators(const OperatorBench& bench, const std::filesystem::path& data_folder) {
    auto every_example = bench.spec.dataset;
    every_example.train_examples.reset();
    const auto info = dataset_info(every_example, data_folder);
    NodeAssignment assignment;
    assignment.spec = bench_spec(bench, info);
    assignment.data_folder = data_folder;
    assignment.threads = assignment.layout_threads = bench.threads;
    NoCommunicator alone;
    KeepsOperators kept;
    FormedNetwork network(alone, HostMap(1));
    run_node(assignment, network, kept);

    OperatorSpeeds result;
    result.peak_gflops = measured_peak_gflops(assignment.spec.kernels.compute_type, bench.threads);
    result.table = {
        .name = "operators",
        .title = "Operators of a training step",
        .columns = {columns::words("operator"), columns::words("name"), columns::count("calls"),
                    shown("time", "us", {"us", 1.0, 1}), shown("p99", "us", {"us", 1.0, 1}),
                    shown("flops", "", {"MFLOP", 1e6, 1}), shown("gflop_per_s", "", {"", 1.0, 1}),
                    columns::percent("of_peak"), columns::words("kind"), columns::rate("gbyte_per_s")},
        .rows = {}};
    auto rows = kept.all().operators;
    std::erase_if(rows, [](const OperatorRecord& row) {
        return row.phase != RunPhase::train || row.epoch != 2 || row.folded_into;
    });
    std::ranges::sort(rows, std::greater{}, &OperatorRecord::total_us);
    for (const auto& row : rows) {
        const auto work = row.work.value_or(WorkDone{});
        const auto flops = per_call(work.flops, row.calls);
        const auto bytes = per_call(work.read_bytes + work.written_bytes, row.calls);
        const auto speed = rate(flops, row.p50_us);
        auto& cells = result.table.rows.emplace_back();
        cells = {row.operator_name, row.name, row.calls, row.p50_us, row.p99_us};
        cells.push_back(flops > 0 ? Cell(flops) : Cell());
        cells.push_back(speed);
        const auto* gflops = std::get_if<double>(&speed);
        cells.push_back(gflops != nullptr ? Cell(100.0 * *gflops / result.peak_gflops) : Cell());
        cells.push_back(row.kind);
        cells.push_back(rate(bytes, row.p50_us));
    }
    return result;
}

}  // namespace convoy
