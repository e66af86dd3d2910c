#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <vector>

#include "base/error.hpp"
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
    bool help = false;
};

options::options_description described_options() {
    options::options_description described("options");
    described.add_options()                                                                              //
        ("table", options::value<std::string>()->default_value(""),                                      //
         "operators, phases, epochs, system, network or memory; without it a short overview")            //
        ("format", options::value<std::string>()->default_value("text"), "text, csv, markdown or json")  //
        ("bars", "draw shares as bars (text)")                                                           //
        ("help", "print this");
    return described;
}

ReportArguments parsed(std::span<const std::string> arguments) {
    auto all = described_options();
    all.add_options()("run", options::value<std::vector<std::string>>()->default_value({}, ""));
    options::positional_options_description positions;
    positions.add("run", -1);
    options::variables_map given;
    try {
        const std::vector<std::string> words(arguments.begin(), arguments.end());
        options::store(options::command_line_parser(words).options(all).positional(positions).run(), given);
    } catch (const options::error& error) {
        throw UsageError(fmt::format("convoy report: {}; see convoy report --help", error.what()));
    }
    ReportArguments result;
    result.runs = given["run"].as<std::vector<std::string>>();
    result.table = given["table"].as<std::string>();
    result.bars = given.count("bars") > 0;
    result.help = given.count("help") > 0;
    const auto& format = given["format"].as<std::string>();
    const auto known = table_format(format);
    if (!known)
        throw UsageError(fmt::format("--format: found \"{}\", expected text, csv, markdown or json", format));
    result.format = *known;
    if (result.runs.empty() && !result.help) {
        throw UsageError("convoy report: no run folder is given; see convoy report --help");
    }
    return result;
}

/// The tables of one run: the one that was asked for, or the overview's.
std::vector<Table> tables_of(const RunResults& results, const std::string& name) {
    if (name.empty()) return overview(results);
    std::string known;
    for (const auto& table : named_tables()) {
        if (table.name == name) return {table.make(results)};
        known += fmt::format("{}{}", known.empty() ? "" : ", ", table.name);
    }
    throw UsageError(fmt::format("--table: found \"{}\", expected one of {}", name, known));
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
    const auto wanted = parsed(arguments);
    if (wanted.help) {
        std::cout << "convoy report RUN... [options]: prints tables of finished runs\n"
                  << described_options();
        return static_cast<int>(ExitCode::done);
    }
    const auto tables = tables_of_all(wanted);
    std::cout << render_all(tables, wanted.format, wanted.bars) << std::flush;
    if (!std::cout) throw OutputError("standard output: cannot be written");
    return static_cast<int>(ExitCode::done);
}

}  // namespace convoy
