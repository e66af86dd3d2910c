#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "report/overview.hpp"
#include "report/partial_folder.hpp"
#include "report/picture.hpp"
#include "report/plots.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/tables.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_plots.hpp"
#include "sweep/sweep_results.hpp"
#include "totals_options.hpp"

namespace convoy {

namespace {

namespace options = boost::program_options;

struct ReportArguments {
    std::vector<std::string> runs;
    std::string table;  ///< empty: the overview
    TableFormat format = TableFormat::text;
    TextStyle style;
    bool partial = false;                ///< runs that are under way, or were killed
    std::optional<PictureFile> plot;     ///< set: where to draw, instead of printing
    std::optional<TotalsWanted> totals;  ///< set: of the table operator_totals
};

options::options_description report_options_described() {
    auto described = option_group();
    described.add_options()  //
        ("table", options::value<std::string>()->default_value("")->value_name("NAME"),
         fmt::format("{}; without it a short overview, of a sweep's folder the medians", table_names())
             .c_str())  //
        ("format", options::value<std::string>()->default_value("text")->value_name("NAME"),
         table_formats)                                                                              //
        ("bars", "draw shares as bars (text; a terminal sees them anyway)")                          //
        ("partial", "the results so far of runs that are under way or were killed: of OUT.partial")  //
        ("plot", options::value<std::string>()->value_name("FILE"),
         "FILE.svg, .png, .pdf, or .tex (TikZ): draw instead of printing: --table epochs (curves; the "
         "default), operators, operator_totals (bars) or system (over time); of a sweep's folder, speed-up "
         "and "
         "efficiency by nodes, or step time");
    add_totals_options(described);
    return described;
}

ReportArguments parsed(const options::variables_map& given, std::optional<std::size_t> terminal) {
    ReportArguments result;
    result.runs = given["run"].as<std::vector<std::string>>();
    result.table = given["table"].as<std::string>();
    result.style = {.bars = given.contains("bars") || terminal, .width = terminal};
    result.partial = given.contains("partial");
    result.format = table_format(given["format"].as<std::string>());
    if (const auto plot = path_given(given, "plot")) {
        if (!given["format"].defaulted())
            throw UsageError("--plot: draws instead of printing; its file's ending says how, not --format");
        result.plot = picture_file(*plot);
    }
    if (result.partial && std::ranges::any_of(result.runs, is_sweep_folder))
        throw UsageError("--partial: is for runs; a sweep's folder shows those of its runs that are done");
    require_totals_table(given, result.table);
    if (has_totals_options(given)) {
        if (result.partial || result.plot)
            throw UsageError("--epochs, --per, --nodes, --unit and --names: not with --partial or --plot");
        result.totals = totals_given(given);
    }
    return result;
}

/// The tables of one run: the one that was asked for, or the overview's.
std::vector<Table> tables_of(const RunResults& results, const std::string& name) {
    if (name.empty()) return overview(results);
    return {named_table(name)(results)};
}

/// The results in a run's folder; with --partial those in its OUT.partial, and warnings where these lack
/// rows.
RunResults results_in(const std::filesystem::path& folder, bool partial) {
    if (!partial) {
        if (!is_present(folder / summary_file) && is_partial_run(partial_meant(folder))) {
            throw MissingFileError(fmt::format(
                "{}: is no complete run: it is under way or was ended; --partial shows what it has "
                "told, `convoy recover` makes a run folder of one that was ended",
                folder.string()));
        }
        return read_run_folder(folder);
    }
    std::vector<std::string> lacking;
    const auto meant = partial_meant(folder);
    auto results = read_partial_run(meant, &lacking);
    for (const auto& line : lacking) say(fmt::format("warning: {}: {}", meant.string(), line));
    return results;
}

/// What runs are called in the column `run`: their folders' names where these differ.
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

/// The runs that were named; of a sweep's folder all that are done.
std::vector<KeptRun> runs_of(const std::vector<std::string>& folders) {
    const auto names = labels(folders);
    std::vector<KeptRun> runs;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (!is_sweep_folder(folders[i])) {
            runs.push_back({names[i], folders[i]});
            continue;
        }
        for (auto& run : kept_runs(folders[i])) {
            if (folders.size() > 1) run.label = fmt::format("{}: {}", names[i], run.label);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

/// Tables, and lines below them, without --table and for people: whether their times can be trusted.
struct Shown {
    std::vector<Table> tables;
    std::string below = {};
};

Shown shown_of_sweep(const std::string& folder, TableFormat format) {
    auto kept = kept_medians(folder);
    const bool for_scripts = format == TableFormat::csv || format == TableFormat::json;
    return {.tables = {for_scripts ? std::move(kept.data) : std::move(kept.medians)},
            .below = std::move(kept.measurement)};
}

Shown shown_of_run(const RunResults& results, const std::string& table) {
    return {.tables = tables_of(results, table), .below = table.empty() ? lines_below(results) : ""};
}

Shown shown_of_all(const ReportArguments& arguments) {
    const auto& table = arguments.table;
    if (arguments.runs.size() == 1 && table.empty() && is_sweep_folder(arguments.runs.front()))
        return shown_of_sweep(arguments.runs.front(), arguments.format);
    const auto runs = runs_of(arguments.runs);
    if (runs.size() == 1 && !arguments.totals)
        return shown_of_run(results_in(runs.front().folder, arguments.partial), table);
    if (runs.size() == 1)
        return {.tables = {totals_of_run(runs.front().folder, *arguments.totals)}, .below = {}};
    std::vector<std::vector<Table>> per_run;
    std::vector<std::string> names;
    for (const auto& run : runs) {
        per_run.push_back(arguments.totals ? std::vector{totals_of_run(run.folder, *arguments.totals)}
                                           : tables_of(results_in(run.folder, arguments.partial), table));
        names.push_back(run.label);
    }
    Shown all;
    for (std::size_t i = 0; i < per_run.front().size(); ++i) {
        std::vector<Table> same;
        same.reserve(per_run.size());
        for (const auto& tables : per_run) same.push_back(tables[i]);
        all.tables.push_back(joined(names, same));
    }
    return all;
}

std::string text_of(const Shown& shown, const ReportArguments& arguments) {
    auto text = render_all(shown.tables, arguments.format, arguments.style);
    if (arguments.format == TableFormat::text && !shown.below.empty()) text += "\n" + shown.below;
    return text;
}

[[noreturn]] void fail_without_plots(const ReportArguments& arguments) {
    throw DataError(fmt::format("--plot: {} has nothing to draw; no step or run of it was finished",
                                fmt::join(arguments.runs, ", ")));
}

/// Draws the figures of a sweep. Only formats other than SVG need gnuplot.
void draw_sweep(const ReportArguments& arguments) {
    if (arguments.runs.size() > 1) throw UsageError("--plot: a sweep is drawn alone; name one folder");
    if (!arguments.table.empty())
        throw UsageError("--plot: a sweep's figures are not of a table; leave --table out");
    const auto figures = figures_in(arguments.runs.front());
    if (figures.figures.empty()) fail_without_plots(arguments);
    const auto& file = *arguments.plot;
    if (file.format == ImageFormat::svg) {
        write_whole(file.path, svg_document(drawings_of(figures)));
    } else {
        write_picture(plots_of(figures), file, Gnuplot());
    }
}

/// Draws what the table shows.
void draw_runs(const ReportArguments& arguments) {
    const auto& runs = arguments.runs;
    auto* const make = named_plots(arguments.table.empty() ? "epochs" : arguments.table);
    std::vector<std::vector<Plot>> per_run;
    per_run.reserve(runs.size());
    for (const auto& run : runs) per_run.push_back(make(results_in(run, arguments.partial)));
    const auto plots = per_run.size() == 1 ? per_run.front() : overlaid(labels(runs), per_run);
    if (plots.empty()) fail_without_plots(arguments);
    write_picture(plots, *arguments.plot, Gnuplot());
}

void draw(const ReportArguments& arguments) {
    if (is_sweep_folder(arguments.runs.front())) {
        draw_sweep(arguments);
    } else {
        draw_runs(arguments);
    }
    print(fmt::format("written to {}\n", printable(arguments.plot->path.string())));
}

}  // namespace

CommandForm report_form() {
    std::map<std::string, std::vector<std::string>> values{{"table", words_of_list(table_names())},
                                                           {"format", words_of_list(table_formats)}};
    add_totals_words(values);
    return {.name = "report",
            .arguments = {{.name = "run", .shown = "RUN", .count = Argument::Count::many}},
            .summary = "prints tables of finished runs, or of a sweep's, or draws them",
            .options = report_options_described(),
            .values = std::move(values)};
}

int report_on(std::span<const std::string> arguments, std::optional<std::size_t> terminal) {
    const auto form = report_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto wanted = parsed(given, terminal);
    if (wanted.plot) {
        draw(wanted);
    } else {
        print(text_of(shown_of_all(wanted), wanted));
    }
    return 0;
}

int report_command(std::span<const std::string> arguments) {
    return report_on(arguments, terminal_width());
}

}  // namespace convoy
