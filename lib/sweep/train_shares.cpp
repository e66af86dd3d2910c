#include "sweep/train_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/durations.hpp"
#include "report/columns.hpp"

namespace convoy {

namespace {

/// The time of one run's training, and shares of it.
struct TrainShares {
    double train_s = 0.0;
    double network_pct = 0.0, slower_nodes_pct = 0.0, data_pct = 0.0;
    [[nodiscard]] double rest_pct() const {
        return std::max(0.0, 100.0 - network_pct - slower_nodes_pct - data_pct);
    }
};

std::optional<TrainShares> shares_of(const SweepRow& row) {
    const auto train_s = row.result("train_s");
    const auto exposed_us = row.result("exposed_us");
    const auto exposed_skew_us = row.result("exposed_skew_us");
    const auto data_wait_us = row.result("data_wait_us");
    if (!train_s || !exposed_us || !exposed_skew_us || !data_wait_us || *train_s <= 0.0) return std::nullopt;
    const auto share_pct = [&](double time_us) { return 100.0 * time_us / (*train_s * 1e6); };
    return TrainShares{.train_s = *train_s,
                       .network_pct = share_pct(*exposed_us - *exposed_skew_us),
                       .slower_nodes_pct = share_pct(*exposed_skew_us),
                       .data_pct = share_pct(*data_wait_us)};
}

template <typename Value>
Cell median_cell(const std::vector<TrainShares>& runs, Value value) {
    std::vector<double> values;
    for (const auto& run : runs) values.push_back(value(run));
    return values.empty() ? Cell() : Cell(median(values));
}

Column bar(std::string name) {
    auto column = columns::percent(std::move(name));
    column.bar = true;
    return column;
}

}  // namespace

Table train_shares_table(const SweepRows& sweep) {
    Table table{.name = "train_shares",
                .title = "Where the time of training went: shares, medians over the repeats",
                .columns = {},
                .rows = {}};
    for (const auto& field : sweep.fields) table.columns.push_back(columns::words(field));
    for (const auto& column : {columns::count("runs"), columns::seconds("train"), bar("computation_and_rest"),
                               bar("network"), bar("slower_nodes"), bar("data")})
        table.columns.push_back(column);
    std::vector<std::pair<std::vector<std::string>, std::vector<TrainShares>>> settings;
    std::map<std::vector<std::string>, std::size_t> places;
    for (const auto& row : sweep.rows) {
        const auto [found, added] = places.try_emplace(row.settings, settings.size());
        if (added) settings.emplace_back(row.settings, std::vector<TrainShares>());
        if (const auto shares = shares_of(row)) settings[found->second].second.push_back(*shares);
    }
    for (const auto& [setting, runs] : settings) {
        std::vector<Cell> row(setting.begin(), setting.end());
        row.emplace_back(std::ssize(runs));
        row.push_back(median_cell(runs, [](const auto& run) { return run.train_s; }));
        row.push_back(median_cell(runs, [](const auto& run) { return run.rest_pct(); }));
        row.push_back(median_cell(runs, [](const auto& run) { return run.network_pct; }));
        row.push_back(median_cell(runs, [](const auto& run) { return run.slower_nodes_pct; }));
        row.push_back(median_cell(runs, [](const auto& run) { return run.data_pct; }));
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace convoy
