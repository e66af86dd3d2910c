#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "base/open_to_read.hpp"
#include "command_line.hpp"
#include "report/comparison.hpp"
#include "report/json_differences.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/tables.hpp"
#include "sweep/sweep_comparison.hpp"
#include "sweep/sweep_folder.hpp"
#include "totals_options.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
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

nlohmann::json json_in(const fs::path& file) {
    if (!is_present(file)) return nlohmann::json::object();
    return parse_json(read_file_text(file), file.string());
}

/// Spec and environment of a run, or of a sweep and one of its runs.
struct Described {
    nlohmann::json spec, environment;
    /// Host and threads of each node of a run, by its rank. Absent: not told.
    std::optional<nlohmann::json> nodes = {};
};

Described described_run(const fs::path& folder) {
    Described run{.spec = json_in(folder / spec_file), .environment = json_in(folder / environment_file)};
    if (!run.environment.contains("nodes")) return run;
    run.nodes = nlohmann::json::object();
    for (const auto& node : run.environment.at("nodes")) {
        const auto rank = node.contains("rank") ? node.at("rank") : nlohmann::json();
        if (!is_integer_of<std::int64_t>(rank)) continue;
        auto& kept = (*run.nodes)[fmt::format("node {}", rank.get<std::int64_t>())];
        for (const auto* key : {"host", "threads"})
            if (node.contains(key)) kept[key] = node.at(key);
    }
    return run;
}

/// A sweep refuses runs of another build or other data, unless the user accepts them. So one run speaks for
/// all, but for its nodes, whose number and threads may vary.
Described described_sweep(const fs::path& folder) {
    return {.spec = json_in(folder / sweep_file),
            .environment = json_in(any_run_folder(folder) / environment_file)};
}

/// What differs between the nodes of two runs: their number, and those that both have.
std::vector<std::string> node_differences(const Described& a, const Described& b) {
    if (!a.nodes || !b.nodes) return {};
    auto in_a = *a.nodes;
    auto in_b = *b.nodes;
    std::vector<std::string> lines;
    if (in_a.size() != in_b.size())
        lines.push_back(fmt::format("{} in A, {} in B", count_text(in_a.size(), "node"),
                                    count_text(in_b.size(), "node")));
    for (const auto& [node, kept] : a.nodes->items())
        if (!in_b.contains(node)) in_a.erase(node);
    for (const auto& [node, kept] : b.nodes->items())
        if (!in_a.contains(node)) in_b.erase(node);
    std::ranges::move(json_differences(in_a, in_b), std::back_inserter(lines));
    return lines;
}

/// What two descriptions say of specs and machines, as far as it differs.
std::string differences(const Described& a, const Described& b) {
    // These differ between any two runs. Nodes come last, as they are many.
    constexpr std::array<std::string_view, 5> not_here{"accepted_changes", "command", "date_utc", "nodes",
                                                       "warnings"};
    std::string text;
    const auto add = [&text](const char* of, const std::vector<std::string>& lines) {
        for (const auto& line : lines) text += fmt::format("  {}: {}\n", of, line);
    };
    add("spec", json_differences(a.spec, b.spec));
    add("machine, build or data", json_differences(a.environment, b.environment, not_here));
    add("machine", node_differences(a, b));
    return text.empty() ? "A and B have the same spec, machine, build and data\n\n"
                        : "A and B differ:\n" + text + "\n";
}

Table of_runs(const std::string& a, const std::string& b, const options::variables_map& given) {
    const auto table = given["table"].as<std::string>();
    const auto make = named_table(table);
    require_totals_table(given, table);
    if (!has_totals_options(given)) return compare(make(read_run_folder(a)), make(read_run_folder(b)));
    const auto wanted = totals_given(given);
    return compare(totals_of_run(a, wanted), totals_of_run(b, wanted));
}

SweepComparison of_sweeps(const fs::path& a, const fs::path& b) {
    const auto file_a = a / runs_file;
    const auto file_b = b / runs_file;
    return compare_sweeps(*open_stream(file_a), file_a.string(), *open_stream(file_b), file_b.string());
}

/// The times in UTC at which the runs of a sweep began, in order, of those that tell it.
std::vector<std::string> times_of(const fs::path& sweep) {
    std::vector<std::string> times;
    for (const auto& run : run_folders_in(sweep)) {
        try {
            times.push_back(json_in(run / environment_file).at("date_utc").get<std::string>());
        } catch (const Error&) {  // a damaged file costs the note only
        } catch (const nlohmann::json::exception&) {
        }
    }
    std::ranges::sort(times);
    return times;
}

/// Whether the last run of one of two sweeps began before the first one of the other. Unknown of sweeps with
/// one run each, which may have taken turns.
bool is_one_after_the_other(const fs::path& a, const fs::path& b) {
    const auto of_a = times_of(a);
    const auto of_b = times_of(b);
    if (of_a.empty() || of_b.empty() || of_a.size() + of_b.size() < 3) return false;
    return of_a.back() < of_b.front() || of_b.back() < of_a.front();
}

/// The text behind a comparison of sweeps.
std::string notes_text(const SweepComparison& comparison, bool one_after_the_other) {
    std::string text;
    if (one_after_the_other)
        text +=
            "one sweep ran after the other: a change of the machine between them looks like a difference; "
            "`convoy sweep A B` lets their repeats take turns\n";
    for (const auto& note : comparison.notes) text += note + "\n";
    return text;
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
        const auto comparison = of_sweeps(a, b);
        const auto before = for_people ? differences(described_sweep(a), described_sweep(b)) : "";
        print(before + render(comparison.table, format, style) +
              (for_people ? notes_text(comparison, is_one_after_the_other(a, b)) : ""));
        return 0;
    }
    const auto table = of_runs(a, b, given);
    print((for_people ? differences(described_run(a), described_run(b)) : "") + render(table, format, style) +
          (for_people ? "one run each: how much runs vary is not known; compare sweeps with repeats\n" : ""));
    return 0;
}

}  // namespace convoy
