#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "command_line.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"

namespace convoy {

namespace {

namespace options = boost::program_options;

struct ReportArguments {
    std::vector<std::string> runs;
    std::string table;  ///< empty: the overview
    TableFormat format = TableFormat::text;
    bool bars = false;
};

options::options_description described_options() {
    options::options_description described("options");
    described.add_options()                                          //
        ("table", options::value<std::string>()->default_value(""),  //
         "operators, operator_totals, phases, epochs, system, network, memory or final; without it a short "
         "overview")                                                                                     //
        ("format", options::value<std::string>()->default_value("text"), "text, csv, markdown or json")  //
        ("bars", "draw shares as bars (text)");
    return described;
}

ReportArguments parsed(const options::variables_map& given) {
    ReportArguments result;
    result.runs = given["run"].as<std::vector<std::string>>();
    result.table = given["table"].as<std::string>();
    result.bars = given.contains("bars");
    const auto& format = given["format"].as<std::string>();
    const auto known = table_format(format);
    if (!known)
        throw UsageError(fmt::format("--format: found \"{}\", expected text, csv, markdown or json", format));
    result.format = *known;
    return result;
}

/// The tables of one run: the one that was asked for, or the overview's.
std::vector<Table> tables_of(const RunResults& results, const std::string& name) {
    if (name.empty()) return overview(results);
    return {named_table(name)(results)};
}

/// What the runs are called in the column `run`: their folders' names where these differ.
std::vector<std::string> labels(const std::vector<std::string>& runs) {
    std::vector<std::string> names;
    for (const auto& run : runs) {
        const auto path = std::filesystem::path(run + "/").lexically_normal().parent_path();
        names.push_back(path.filename().string());
    }
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? names : runs;
}

std::vector<Table> tables_of_all(const ReportArguments& arguments) {
    std::vector<std::vector<Table>> per_run;
    per_run.reserve(arguments.runs.size());
    for (const auto& run : arguments.runs)
        per_run.push_back(tables_of(read_run_folder(run), arguments.table));
    if (per_run.size() == 1) return per_run.front();
    const auto names = labels(arguments.runs);
    std::vector<Table> all;
    for (std::size_t i = 0; i < per_run.front().size(); ++i) {
        std::vector<Table> same;
        same.reserve(per_run.size());
        for (const auto& tables : per_run) same.push_back(tables[i]);
        all.push_back(joined(names, same));
    }
    return all;
}

}  // namespace

int report_command(std::span<const std::string> arguments) {
    const auto described = described_options();
    const auto given = parse_arguments("report", arguments, described, {"run"}, true);
    if (print_help(given, "convoy report RUN... [options]: prints tables of finished runs", described))
        return 0;
    const auto wanted = parsed(given);
    print(render_all(tables_of_all(wanted), wanted.format, wanted.bars));
    return 0;
}

}  // namespace convoy
