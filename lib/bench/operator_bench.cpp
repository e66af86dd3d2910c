#include "bench/operator_bench.hpp"

#include <string>
#include <utility>
#include <variant>

#include "bench/operator_timing.hpp"
#include "data/dataset.hpp"
#include "kernels/onednn/peak.hpp"
#include "report/columns.hpp"

namespace convoy {
namespace {

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
    OperatorSpeeds result;
    result.peak_gflops = measured_peak_gflops(bench.spec.kernels.compute_type, bench.threads);
    result.table = {
        .name = "operators",
        .title = "Operators of a training step",
        .columns = {columns::words("operator"), columns::words("name"), columns::count("calls"),
                    shown("time", "us", {"us", 1.0, 1}), shown("p99", "us", {"us", 1.0, 1}),
                    shown("flops", "", {"MFLOP", 1e6, 1}), shown("gflop_per_s", "", {"", 1.0, 1}),
                    columns::percent("of_peak"), columns::words("kind"), columns::rate("gbyte_per_s")},
        .rows = {}};
    const auto rows = time_operators(bench, data_folder).rows;
    for (const auto& row : rows) {
        const auto work = row.work.value_or(WorkDone{});
        const auto flops = per_call(work.flops, row.calls);
        const auto bytes = per_call(work.moved_bytes(), row.calls);
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
