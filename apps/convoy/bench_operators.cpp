#include "bench_operators.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "bench/operator_bench.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "experiment.hpp"
#include "report/render.hpp"
#include "train/backends.hpp"

namespace convoy {

int bench_operators_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    options::options_description described("options");
    described.add_options()  //
        ("set", options::value<std::vector<std::string>>(),
         "KEY=VALUE: another value for a field of the spec, such as batch_size=32 or kernels.fusion=false")  //
        ("data", options::value<std::string>(),
         "folder of datasets; else $CONVOY_DATA, else datasets/cache")           //
        ("threads", options::value<int>()->default_value(1), "compute threads")  //
        ("steps", options::value<std::int64_t>()->default_value(30),
         "counted training steps, behind as many uncounted ones")  //
        ("json", "print one JSON object");
    const auto given = parse_arguments("bench operators", arguments, described, {"spec"});
    if (print_help(given,
                   "convoy bench operators SPEC [options]: a training step on one node, operator by operator",
                   described))
        return 0;
    OperatorBench bench;
    bench.threads = threads_given(given);
    bench.steps = given["steps"].as<std::int64_t>();
    if (bench.steps < 1 || bench.steps > 100'000)
        throw UsageError(fmt::format("--steps: found {}, expected 1 to 100000", bench.steps));
    const auto data_folder = find_data_folder(path_given(given, "data"));
    bench.spec =
        check_spec(given["spec"].as<std::vector<std::string>>().front(), overrides_given(given), data_folder)
            .spec;
    if (const auto unmet = unmet_wish(bench.spec.kernels)) say("warning: " + *unmet);
    const auto speeds = bench_operators(bench, data_folder);
    if (given.contains("json")) {
        auto rows = nlohmann::json::parse(to_json_text(speeds.table)).at("rows");
        const nlohmann::json results{{"batch_size", bench.spec.batch_size},
                                     {"threads", bench.threads},
                                     {"peak_gflops", speeds.peak_gflops},
                                     {"results", std::move(rows)}};
        print(json_text(results, 2) + "\n");
    } else {
        print(to_text(speeds.table, {.bars = false, .width = terminal_width()}) +
              fmt::format("\npeak: {:.1f} GFLOP/s with {} thread{}\n", speeds.peak_gflops, bench.threads,
                          bench.threads == 1 ? "" : "s"));
    }
    return 0;
}

}  // namespace convoy
