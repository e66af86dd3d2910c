#include "compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "base/console.hpp"
#include "base/error.hpp"
#include "command_line.hpp"
#include "report/comparison.hpp"
#include "report/render.hpp"
#include "report/run_differences.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"
#include "sweep/compared_folders.hpp"
#include "sweep/sweep_folder.hpp"
#include "totals_options.hpp"

namespace convoy {
namespace {

namespace options = boost::program_options;

options::options_description compare_options_described() {
    auto described = option_group();
    described.add_options()  //
        ("table", options::value<std::string>()->default_value("operator_totals")->value_name("NAME"),
         fmt::format("of two runs: {}", table_names()).c_str())  //
        ("format", options::value<std::string>()->default_value("text")->value_name("NAME"), table_formats);
    add_totals_options(described);
    return described;
}

Table of_runs(const std::string& a, const std::string& b, const options::variables_map& given) {
    const auto table = given["table"].as<std::string>();
    const auto make = named_table(table);
    require_totals_table(given, table);
    if (!has_totals_options(given)) return compare(make(read_run_folder(a)), make(read_run_folder(b)));
    const auto wanted = totals_given(given);
    return compare(totals_of_run(a, wanted), totals_of_run(b, wanted));
}

}  // namespace

CommandForm compare_form() {
    std::map<std::string, std::vector<std::string>> values{{"table", words_of_list(table_names())},
                                                           {"format", words_of_list(table_formats)}};
    add_totals_words(values);
    return {.name = "compare",
            .arguments = {{.name = "run_a", .shown = "RUN_A"}, {.name = "run_b", .shown = "RUN_B"}},
            .summary = "two runs row by row, or two sweeps setting by setting; ratios are A/B",
            .options = compare_options_described(),
            .values = std::move(values)};
}

int compare_command(std::span<const std::string> arguments) {
    const auto form = compare_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto format = table_format(given["format"].as<std::string>());
    const auto a = argument_given(given, "run_a");
    const auto b = argument_given(given, "run_b");
    const bool for_people = format == TableFormat::text;
    const TextStyle style{.bars = false, .width = terminal_width()};
    if (is_sweep_folder(a) != is_sweep_folder(b))
        throw UsageError("compare: one is a sweep's folder, the other is not; give two runs or two sweeps");
    if (is_sweep_folder(a)) {
        if (!given["table"].defaulted()) throw UsageError("--table: is for runs; sweeps have one comparison");
        if (has_totals_options(given))
            throw UsageError("--epochs, --per, --nodes, --unit and --names are for runs, not for sweeps");
        const auto comparison = compare_sweep_folders(a, b);
        const auto table = render(comparison.table, format, style);
        print(for_people
                  ? fmt::format("{}\n{}{}{}", differences_text(described_sweep(a), described_sweep(b)), table,
                                fmt::join(comparison.notes, "\n"), comparison.notes.empty() ? "" : "\n")
                  : table);
        return 0;
    }
    const auto table = render(of_runs(a, b, given), format, style);
    print(for_people
              ? fmt::format(
                    "{}\n{}one run each: how much runs vary is not known; compare sweeps with repeats\n",
                    differences_text(described_run(a), described_run(b)), table)
              : table);
    return 0;
}

}  // namespace convoy
