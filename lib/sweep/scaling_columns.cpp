#include "sweep/scaling_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "measure/durations.hpp"
#include "report/columns.hpp"
#include "sweep/scaling.hpp"

namespace convoy {

namespace {

/// One setting's runs, in ascending order.
struct SettingScaling {
    std::vector<double> speedups, efficiencies_pct;
};

/// In the order in which the settings first occur.
std::vector<SettingScaling> by_setting(const SweepRows& sweep, const Scaling& scaling) {
    std::vector<SettingScaling> settings;
    std::map<std::vector<std::string>, std::size_t> places;
    for (std::size_t row = 0; row < sweep.rows.size(); ++row) {
        const auto [found, added] = places.try_emplace(sweep.rows[row].settings, settings.size());
        if (added) settings.emplace_back();
        auto& setting = settings[found->second];
        if (const auto speedup = scaling.speedups[row]) setting.speedups.push_back(*speedup);
        if (const auto efficiency = scaling.efficiency_pct(row))
            setting.efficiencies_pct.push_back(*efficiency);
    }
    for (auto& setting : settings) {
        std::ranges::sort(setting.speedups);
        std::ranges::sort(setting.efficiencies_pct);
    }
    return settings;
}

Note no_baseline(const Scaling& scaling) {
    return {.text = fmt::format("no run of {} with the same other settings is done", scaling.baseline())};
}

Cell text_cell(const std::vector<double>& sorted, int decimals, const Scaling& scaling) {
    if (sorted.empty()) return no_baseline(scaling);
    return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", quantile(std::span<const double>(sorted), 0.5), decimals,
                       sorted.front(), decimals, sorted.back(), decimals);
}

void add_numbers(std::vector<Cell>& row, const std::vector<double>& sorted, const Scaling& scaling) {
    if (sorted.empty()) {
        row.insert(row.end(), 3, no_baseline(scaling));
    } else {
        row.insert(row.end(),
                   {quantile(std::span<const double>(sorted), 0.5), sorted.front(), sorted.back()});
    }
}

}  // namespace

Table with_scaling(Table medians, const SweepRows& sweep) {
    const auto scaling = scaling_of(sweep);
    if (!scaling) return medians;
    medians.title += fmt::format("; speed-up and efficiency against {}", scaling->baseline());
    const auto throughput = std::ranges::find(medians.columns, "examples_per_second", &Column::name);
    const auto place = std::min(throughput - medians.columns.begin() + 1, std::ssize(medians.columns));
    medians.columns.insert(medians.columns.begin() + place,
                           {columns::words("speedup"), columns::words("efficiency_%")});
    const auto settings = by_setting(sweep, *scaling);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        medians.rows[i].insert(medians.rows[i].begin() + place,
                               {text_cell(settings[i].speedups, 2, *scaling),
                                text_cell(settings[i].efficiencies_pct, 0, *scaling)});
    }
    return medians;
}

Table with_scaling_data(Table medians, const SweepRows& sweep) {
    const auto scaling = scaling_of(sweep);
    if (!scaling) return medians;
    medians.columns.push_back(columns::count("baseline_nodes"));
    for (const auto* which : {"speedup_median", "speedup_least", "speedup_greatest"})
        medians.columns.push_back(columns::count(which));
    for (const auto* which : {"efficiency_median", "efficiency_least", "efficiency_greatest"})
        medians.columns.push_back(columns::percent(which));
    const auto settings = by_setting(sweep, *scaling);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        auto& row = medians.rows[i];
        row.emplace_back(static_cast<std::int64_t>(scaling->baseline_nodes));
        add_numbers(row, settings[i].speedups, *scaling);
        add_numbers(row, settings[i].efficiencies_pct, *scaling);
    }
    return medians;
}

}  // namespace convoy
