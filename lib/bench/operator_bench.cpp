#include "bench/operator_bench.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "data/dataset.hpp"
#include "kernels/onednn/peak.hpp"
#include "measure/durations.hpp"
#include "program/program.hpp"
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

/// A row of the operator tables: several operators may have one, as a layer's products forward and backward.
using Key = std::pair<std::string, std::string>;

struct Work {
    std::int64_t flops = 0;
    std::int64_t operators = 0;
};

std::map<Key, Work> work_of(const Program& program) {
    std::map<Key, Work> work;
    for (const auto& op : program.operators) {
        auto& row = work[{std::string(operator_name(op.kind)), op.name}];
        row.flops += product_flops(program, op);
        ++row.operators;
    }
    return work;
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

    const auto& spec = assignment.spec;
    const auto program =
        instantiate(training_graph_of(spec, info.example_shape, info.classes), ProgramKind::train,
                    {.rank = 0, .world_size = 1, .batch = spec.batch_size, .layout_batch = spec.batch_size});
    const auto work = work_of(program);

    OperatorSpeeds result;
    result.peak_gflops = measured_peak_gflops(spec.kernels.compute_type, bench.threads);
    result.table = {.name = "operators",
                    .title = "Operators of a training step",
                    .columns = {columns::words("operator"), columns::words("name"), columns::count("calls"),
                                shown("time", "us", {"us", 1.0, 1}), shown("p99", "us", {"us", 1.0, 1}),
                                shown("flops", "", {"MFLOP", 1e6, 1}), shown("gflop_per_s", "", {"", 1.0, 1}),
                                columns::percent("of_peak")},
                    .rows = {}};
    auto rows = kept.all().operators;
    std::erase_if(rows, [](const OperatorRecord& row) {
        return row.phase != RunPhase::train || row.epoch != 2 || row.folded_into;
    });
    std::ranges::sort(rows, std::greater{}, &OperatorRecord::total_us);
    for (const auto& row : rows) {
        const auto found = work.find({row.operator_name, row.name});
        const auto done = found == work.end() ? Work{} : found->second;
        // Where operators share a row its percentiles are of one or the other, and only their sum means
        // something.
        const auto calls_per_step = std::max<std::int64_t>(1, done.operators);
        const auto time_us =
            calls_per_step == 1 ? row.p50_us : row.mean_us * static_cast<double>(calls_per_step);
        const auto speed = time_us > 0.0 ? static_cast<double>(done.flops) / time_us / 1e3 : 0.0;
        auto& cells = result.table.rows.emplace_back();
        cells = {row.operator_name, row.name, row.calls, time_us, row.p99_us};
        if (done.flops == 0) {
            cells.insert(cells.end(), 3, Cell());
        } else {
            cells.insert(cells.end(), {done.flops, speed, 100.0 * speed / result.peak_gflops});
        }
    }
    return result;
}

}  // namespace convoy
