#include "bench/operator_bench.hpp"

#include <string>
#include <utility>

#include "bench/operator_timing.hpp"
#include "data/dataset.hpp"
#include "kernels/onednn/peak.hpp"
#include "report/columns.hpp"

namespace convoy {
namespace {

Column shown(std::string name, std::string unit, Shown how) {
    return {.name = std::move(name), .unit = std::move(unit), .left = false, .shown = std::move(how)};
}

}  // namespace

OperatorSpeeds bench_operators(const OperatorBench& bench, const std::filesystem::path& data_folder) {
    const auto rows = time_operators(bench, data_folder);
    const auto work = work_of(timed_program(bench, dataset_info(bench.spec.dataset, data_folder)));

    OperatorSpeeds result;
    result.peak_gflops = measured_peak_gflops(bench.spec.kernels.compute_type, bench.threads);
    result.table = {.name = "operators",
                    .title = "Operators of a training step",
                    .columns = {columns::words("operator"), columns::words("name"), columns::count("calls"),
                                shown("time", "us", {"us", 1.0, 1}), shown("p99", "us", {"us", 1.0, 1}),
                                shown("flops", "", {"MFLOP", 1e6, 1}), shown("gflop_per_s", "", {"", 1.0, 1}),
                                columns::percent("of_peak")},
                    .rows = {}};
    for (const auto& row : rows) {
        const auto found = work.find({row.operator_name, row.name});
        const auto done = found == work.end() ? OperatorWork{} : found->second;
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
