#include "sweep/sweep_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/count_text.hpp"
#include "base/error.hpp"
#include "measure/durations.hpp"
#include "measure/two_samples.hpp"
#include "report/columns.hpp"
#include "report/undisturbed_steps.hpp"
#include "sweep/alike_cores.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {
namespace {

constexpr std::string_view undisturbed_column = "step_undisturbed_us", look_column = "core_look_us",
                           share_column = "undisturbed_pct";
/// The figures that are compared, as columns of runs.csv.
constexpr std::array<std::string_view, 9> compared{
    "step_p50_us",   "examples_per_second", "train_s",     "total_s",         "exposed_us",
    "test_accuracy", "peak_resident_bytes", "step_p05_us", undisturbed_column};
/// The last figures, which older versions do not write, and the columns by which runs count.
constexpr std::size_t older_figures = 7;
constexpr std::array<std::string_view, 4> newer_columns{"step_p05_us", undisturbed_column, look_column,
                                                        share_column};

using SettingValues = std::vector<std::string>;

/// The time of the undisturbed steps of a run, and a quick look at a core.
struct Undisturbed {
    double step_us = 0.0, look_us = 0.0;
};

/// The runs of one setting.
struct Samples {
    std::map<std::string_view, std::vector<double>> figures;
    std::vector<Undisturbed> undisturbed;
    std::int64_t looked = 0;  ///< runs whose nodes looked at their cores
    std::int64_t not_quiet = 0;

    [[nodiscard]] std::vector<double> looks_us() const {
        std::vector<double> looks;
        for (const auto& run : undisturbed) looks.push_back(run.look_us);
        return looks;
    }
};

/// Fills the figure of undisturbed steps, without the runs whose cores were not alike: some may have been
/// slow all the time, which only other runs show. Returns how many were left out.
std::int64_t count_undisturbed(Samples& samples, const AlikeCores& cores) {
    std::vector<double> times;
    for (const auto& run : samples.undisturbed)
        if (cores.contains(run.look_us)) times.push_back(cores.on_quickest_us(run.step_us, run.look_us));
    const auto left_out = std::ssize(samples.undisturbed) - std::ssize(times);
    samples.figures[undisturbed_column] = std::move(times);
    return left_out;
}

/// The same for two sweeps, with notes of what was left out. Where no core of one was alike to one of the
/// other, it may be of another machine or build, so each has its own measure.
void compare_undisturbed(Samples& a, Samples& b, const std::string& setting,
                         std::vector<std::string>& notes) {
    const auto note_missing = [&](std::int64_t runs, const char* sweep, const char* reason) {
        if (runs == 0) return;
        notes.push_back(fmt::format("{}: {} of {} left out of {}: {}", setting, count_text(runs, "run"),
                                    sweep, undisturbed_column, reason));
    };
    for (const auto& [sweep, samples] : {std::pair("A", &a), std::pair("B", &b)})
        note_missing(samples->looked - std::ssize(samples->undisturbed), sweep,
                     "too few steps were undisturbed");
    if (a.undisturbed.empty() || b.undisturbed.empty()) return;
    const std::array looks_us{a.looks_us(), b.looks_us()};
    const auto of_both = alike_cores(looks_us);
    const auto cores_of = [&](std::size_t sweep) {
        return of_both ? *of_both : alike_cores(std::span(&looks_us.at(sweep), 1)).value();
    };
    if (!of_both) {
        notes.push_back(fmt::format(
            "{}: a quick look at a core took {:.2f} us in A, {:.2f} in B: other machines or builds, or cores "
            "were slow in all runs of one",
            setting, cores_of(0).quickest_us, cores_of(1).quickest_us));
    }
    const auto* const unlike = "cores were quicker or slower than those of the runs that count";
    note_missing(count_undisturbed(a, cores_of(0)), "A", unlike);
    note_missing(count_undisturbed(b, cores_of(1)), "B", unlike);
}

struct Runs {
    std::vector<std::string> fields;
    std::vector<std::pair<SettingValues, Samples>> settings;  ///< in the order of the first repeat
};

Runs runs_in(std::istream& text, const std::string& source) {
    const std::span<const std::string_view> all(compared);
    const auto sweep = read_sweep_rows(text, source, all.first(older_figures), newer_columns);
    Runs runs{.fields = sweep.fields, .settings = {}};
    for (const auto& row : sweep.rows) {
        if (!row.done) continue;
        auto found =
            std::ranges::find(runs.settings, row.settings, &std::pair<SettingValues, Samples>::first);
        if (found == runs.settings.end()) found = runs.settings.insert(found, {row.settings, {}});
        for (const auto figure : compared)
            if (const auto value = row.result(figure); value && figure != undisturbed_column)
                found->second.figures[figure].push_back(*value);
        const auto step = row.result(undisturbed_column);
        const auto look = row.result(look_column);
        if (look) ++found->second.looked;
        if (step && look && *look > 0.0 && is_undisturbed_enough(row.result(share_column)))
            found->second.undisturbed.push_back({.step_us = *step, .look_us = *look});
        if (row.not_quiet) ++found->second.not_quiet;
    }
    return runs;
}

Table empty_table(const std::vector<std::string>& fields) {
    Table table{.name = "comparison", .title = "Medians of A against those of B", .columns = {}, .rows = {}};
    for (const auto& field : fields) table.columns.push_back(columns::words(field));
    const auto number = [](const char* name, int detail = 0) {
        return Column{.name = name, .unit = "", .left = false, .shown = {"", 1.0, 3}, .detail = detail};
    };
    using columns::count, columns::detail;
    for (const auto& column :
         {columns::words("figure"), detail(count("n_a"), 3), detail(count("n_b"), 3),
          detail(count("not_quiet_a"), 4), detail(count("not_quiet_b"), 4), number("median_a", 2),
          number("median_b", 2), number("ratio"), number("ratio_low"), number("ratio_high"), number("p", 1),
          columns::words("shown")})
        table.columns.push_back(column);
    return table;
}

void add_rows(Table& table, const SettingValues& setting, const Samples& a, const Samples& b) {
    for (const auto figure : compared) {
        const auto in_a = a.figures.find(figure);
        const auto in_b = b.figures.find(figure);
        if (in_a == a.figures.end() || in_b == b.figures.end()) continue;
        const auto& of_a = in_a->second;
        const auto& of_b = in_b->second;
        const auto found = two_samples(of_a, of_b);
        const bool tells = least_p(of_a.size(), of_b.size()) <= most_p_of_difference;
        const auto cell = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(); };
        std::vector<Cell> row(setting.begin(), setting.end());
        row.insert(row.end(),
                   {std::string(figure), std::ssize(of_a), std::ssize(of_b), a.not_quiet, b.not_quiet,
                    median(of_a), median(of_b), cell(found.ratio), tells ? cell(found.low) : Cell(),
                    tells ? cell(found.high) : Cell(), tells ? Cell(found.p) : Cell(),
                    std::string(shown_difference(found, of_a.size(), of_b.size()))});
        table.rows.push_back(std::move(row));
    }
}

std::string text_of(const std::vector<std::string>& fields, const SettingValues& setting) {
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += fmt::format("{}{}={}", i == 0 ? "" : ", ", fields[i], setting[i]);
    return text.empty() ? "all runs" : text;
}

}  // namespace

SweepComparison compare_sweeps(std::istream& a, const std::string& source_a, std::istream& b,
                               const std::string& source_b) {
    auto of_a = runs_in(a, source_a);
    auto of_b = runs_in(b, source_b);
    if (of_a.fields != of_b.fields)
        throw DataError(fmt::format("{} varies \"{}\", {} varies \"{}\"; compare sweeps over the same fields",
                                    source_a, fmt::join(of_a.fields, ", "), source_b,
                                    fmt::join(of_b.fields, ", ")));
    SweepComparison comparison{.table = empty_table(of_a.fields), .notes = {}};
    const auto only_in = [&](const char* which, const SettingValues& setting) {
        comparison.notes.push_back(fmt::format("only {} has {}", which, text_of(of_a.fields, setting)));
    };
    for (auto& [setting, samples] : of_a.settings) {
        const auto other =
            std::ranges::find(of_b.settings, setting, &std::pair<SettingValues, Samples>::first);
        if (other == of_b.settings.end()) {
            only_in("A", setting);
            continue;
        }
        compare_undisturbed(samples, other->second, text_of(of_a.fields, setting), comparison.notes);
        add_rows(comparison.table, setting, samples, other->second);
    }
    for (const auto& [setting, samples] : of_b.settings)
        if (std::ranges::find(of_a.settings, setting, &std::pair<SettingValues, Samples>::first) ==
            of_a.settings.end())
            only_in("B", setting);
    if (comparison.table.rows.empty())
        throw DataError(
            fmt::format("{} and {} have no setting in common whose runs are done", source_a, source_b));
    return comparison;
}

}  // namespace convoy
