#include "report/update_tables.hpp"

#include <map>

#include "report/columns.hpp"

namespace convoy {
namespace {

/// Updates by staleness: their number, the sum of their staleness, and the largest staleness.
struct Staleness {
    std::int64_t updates = 0;
    double sum = 0.0;
    std::int64_t largest = 0;
};

Staleness staleness_of(const WorkerUpdates& worker) {
    Staleness all;
    for (const auto& [staleness, updates] : worker.by_staleness) {
        all.updates += updates;
        all.sum += static_cast<double>(staleness) * static_cast<double>(updates);
        all.largest = staleness;
    }
    return all;
}

}  // namespace

Table updates_table(const RunResults& results) {
    using namespace columns;
    Table table{"updates", "Updates of servers, by the worker whose gradients they applied", {}, {}};
    table.columns = {count("worker"),
                     count("updates"),
                     rate("mean_staleness"),
                     count("max_staleness"),
                     count("max_steps_ahead"),
                     detail(count("compared_pulls")),
                     detail(count("mixed_pulls")),
                     detail(count("max_version_spread"))};
    for (const auto& worker : results.updates) {
        const auto all = staleness_of(worker);
        const auto mean = all.updates > 0 ? Cell(all.sum / static_cast<double>(all.updates)) : Cell();
        table.rows.push_back({worker.worker, all.updates, mean, all.largest, worker.most_ahead, worker.pulls,
                              worker.mixed_pulls, worker.largest_spread});
    }
    return table;
}

Table staleness_table(const RunResults& results) {
    using namespace columns;
    Table table{"staleness", "Updates of each staleness", {}, {}};
    table.columns = {count("staleness"), count("updates"), percent("share")};
    table.columns.back().bar = true;
    std::map<std::int64_t, std::int64_t> updates;
    std::int64_t all = 0;
    for (const auto& worker : results.updates) {
        for (const auto& [staleness, number] : worker.by_staleness) {
            updates[staleness] += number;
            all += number;
        }
    }
    for (const auto& [staleness, number] : updates)
        table.rows.push_back(
            {staleness, number, share_pct(static_cast<double>(number), static_cast<double>(all))});
    return table;
}

}  // namespace convoy
