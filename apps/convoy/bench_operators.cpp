#include "bench_operators.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "bench/operator_bench.hpp"
#include "checked_spec.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "report/render.hpp"
#include "train/backends.hpp"

namespace convoy {

CommandForm bench_operators_form() {
    namespace options = boost::program_options;
    auto described = option_group();
    add_set_option(described, "the spec");
    add_data_option(described);
    described.add_options()                                                                       //
        ("threads", options::value<int>()->default_value(1)->value_name("N"), "compute threads")  //
        ("steps", options::value<std::int64_t>()->default_value(30)->value_name("N"),
         "counted training steps, behind as many uncounted ones")  //
        ("json", "print one JSON object");
    return {.name = "bench operators",
            .arguments = {{.name = "spec", .shown = "SPEC"}},
            .summary = "measures a training step on one node, operator by operator",
            .options = described};
}

int bench_operators_command(std::span<const std::string> arguments) {
    const auto form = bench_operators_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    OperatorBench bench;
    bench.threads = threads_given(given);
    bench.steps = given["steps"].as<std::int64_t>();
    if (bench.steps < 1 || bench.steps > 100'000)
        throw UsageError(fmt::format("--steps: found {}, expected 1 to 100000", bench.steps));
    const auto data_folder = find_data_folder(path_given(given, "data"));
    bench.spec = check_spec(spec_given(given), overrides_given(given), data_folder).spec;
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
              fmt::format("\npeak: {:.1f} GFLOP/s with {}\n", speeds.peak_gflops,
                          count_text(bench.threads, "thread")));
    }
    return 0;
}

}  // namespace convoy
