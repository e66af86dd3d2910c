#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/columns.hpp"
#include "report/records_csv.hpp"
#include "report/tables.hpp"

namespace convoy {

namespace {

using namespace columns;

/// One operator over all nodes and epochs.
struct OperatorSum {
    RunPhase phase{};
    std::string operator_name, name, pass, kind;
    std::optional<std::string> folded_into;
    std::int64_t calls = 0;
    double total_us = 0.0, weighted_p50 = 0.0, weighted_p99 = 0.0;
    std::optional<CommunicationTimes> communication;
    std::optional<WorkDone> work;
    double worked_us = 0.0;  ///< of total, by the calls whose work is known

    void add(const OperatorRecord& row) {
        calls += row.calls;
        total_us += row.total_us;
        weighted_p50 += row.p50_us * static_cast<double>(row.calls);
        weighted_p99 += row.p99_us * static_cast<double>(row.calls);
        if (row.work) {
            if (!work) work.emplace();
            *work += *row.work;
            worked_us += row.total_us;
        }
        if (!row.communication) return;
        if (!communication) communication.emplace();
        *communication += *row.communication;
    }
    /// In thousands of millions a second; absent where none were counted.
    [[nodiscard]] Cell rate(std::int64_t count) const {
        if (count == 0 || worked_us <= 0.0) return {};
        return static_cast<double>(count) / worked_us / 1e3;
    }
    [[nodiscard]] double per_call(double sum) const {
        return calls > 0 ? sum / static_cast<double>(calls) : 0.0;
    }
};

std::vector<OperatorSum> operator_sums(const std::vector<OperatorRecord>& operators) {
    using Key = std::tuple<RunPhase, std::string, std::string, std::string, std::string, std::string>;
    std::map<Key, std::size_t> positions;
    std::vector<OperatorSum> sums;
    for (const auto& row : operators) {
        const Key key(row.phase, row.operator_name, row.name, row.pass, row.kind,
                      row.folded_into.value_or(""));
        const auto [found, added] = positions.try_emplace(key, sums.size());
        if (added) {
            sums.push_back({.phase = row.phase,
                            .operator_name = row.operator_name,
                            .name = row.name,
                            .pass = row.pass,
                            .kind = row.kind,
                            .folded_into = row.folded_into,
                            .communication = {},
                            .work = {}});
        }
        sums[found->second].add(row);
    }
    return sums;
}

/// Training before evaluation, the longest first, folded rows behind the kernel that they are in.
std::vector<OperatorSum> in_table_order(const std::vector<OperatorSum>& sums) {
    std::vector<OperatorSum> kernels;
    std::copy_if(sums.begin(), sums.end(), std::back_inserter(kernels),
                 [](const auto& sum) { return !sum.folded_into; });
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.phase, -a.total_us) < std::tuple(b.phase, -b.total_us);
    });
    std::vector<OperatorSum> ordered;
    for (const auto& kernel : kernels) {
        ordered.push_back(kernel);
        std::copy_if(sums.begin(), sums.end(), std::back_inserter(ordered), [&kernel](const auto& sum) {
            return sum.folded_into == kernel.operator_name && sum.name == kernel.name &&
                   sum.pass == kernel.pass && sum.kind == kernel.kind && sum.phase == kernel.phase;
        });
    }
    return ordered;
}

/// What a phase's shares are of: the steps' time where there are steps, else its operators' time.
std::map<RunPhase, double> phase_totals(const RunResults& results) {
    std::map<RunPhase, double> totals;
    for (const auto& row : results.operators) totals[row.phase] += row.total_us;
    double steps_us = results.left_out_step_us;
    for (const auto& step : results.steps) steps_us += step.step_us;
    if (steps_us > 0.0) totals[RunPhase::train] = steps_us;
    return totals;
}

/// Position of `total` in the operator table.
constexpr std::size_t total_column = 4;

std::vector<Cell> operator_row(const OperatorSum& sum, double phase_total) {
    std::vector<Cell> row{std::string(phase_name(sum.phase)), sum.operator_name, sum.name};
    if (sum.folded_into) {
        const auto inside = "in " + *sum.folded_into;
        row.insert(row.end(), 11, Note{inside, false});
        row[total_column] = Note{inside, true};
        row.emplace_back(*sum.folded_into);
        row.insert(row.end(), {sum.pass, sum.kind});
        row.insert(row.end(), 2, Note{inside, false});
        return row;
    }
    row.insert(row.end(),
               {sum.calls, sum.total_us, sum.per_call(sum.total_us), sum.per_call(sum.weighted_p50),
                sum.per_call(sum.weighted_p99), share_pct(sum.total_us, phase_total)});
    if (const auto& times = sum.communication) {
        row.insert(row.end(), {times->in_flight_us, times->hidden_us, times->exposed_us, times->skew_us,
                               times->exposed_skew_us});
    } else {
        row.insert(row.end(), 5, Note{"no collective", false});
    }
    row.emplace_back(Note{"runs by itself", false});
    row.insert(row.end(), {sum.pass, sum.kind});
    const Note unknown{"no work is recorded", false};
    if (sum.work) {
        row.insert(row.end(), {sum.rate(sum.work->flops), sum.rate(sum.work->moved_bytes())});
    } else {
        row.insert(row.end(), 2, unknown);
    }
    return row;
}

/// The names of the layers or buckets that have each kind of operator in each phase.
using NamesByKind = std::map<std::pair<RunPhase, std::string>, std::set<std::string>>;

NamesByKind names_by_kind(const std::vector<OperatorRecord>& operators) {
    NamesByKind names;
    for (const auto& row : operators)
        if (!row.folded_into) names[{row.phase, row.operator_name}].insert(row.name);
    return names;
}

/// The operators of one kind together, the longest first within their phase.
std::vector<OperatorSum> sums_by_kind(std::vector<OperatorRecord> operators) {
    std::erase_if(operators, [](const OperatorRecord& row) { return row.folded_into.has_value(); });
    for (auto& row : operators) {
        row.name.clear();
        row.pass.clear();
        row.kind.clear();
    }
    return in_table_order(operator_sums(operators));
}

}  // namespace

Table operators_table(const RunResults& results) {
    Table table{"operators", "Time per operator, over all nodes", {}, {}};
    table.columns = {detail(words("phase")),
                     words("operator"),
                     words("name"),
                     detail(count("calls"), 6),
                     long_microseconds("total"),
                     detail(microseconds("mean"), 4),
                     detail(microseconds("p50"), 8),
                     detail(microseconds("p99"), 6),
                     percent("share"),
                     detail(long_microseconds("in_flight"), 5),
                     detail(long_microseconds("hidden"), 2),
                     long_microseconds("exposed"),
                     detail(long_microseconds("skew"), 3),
                     detail(long_microseconds("exposed_skew"), 7),
                     words("folded_into"),
                     words("pass"),
                     detail(words("kind"), 8),
                     detail(rate("gflop_per_s"), 9),
                     detail(rate("gbyte_per_s"), 9)};
    table.columns[8].bar = true;
    const bool has_work = std::ranges::any_of(results.operators,
                                              [](const OperatorRecord& row) { return row.work.has_value(); });
    for (const std::size_t hidden : {14, 15}) table.columns[hidden].scripts_only = true;
    for (const std::size_t rated : {16, 17, 18}) table.columns[rated].scripts_only = !has_work;
    const auto totals = phase_totals(results);
    for (const auto& sum : in_table_order(operator_sums(results.operators))) {
        table.rows.push_back(operator_row(sum, totals.at(sum.phase)));
    }
    return table;
}

Table operator_totals_table(const RunResults& results) {
    return operator_totals_table(results, {});
}

Table operator_totals_table(const RunResults& results, const TotalsForm& form) {
    const auto times = [&form](std::string name) {
        return form.in_us ? microseconds(std::move(name)) : long_microseconds(std::move(name));
    };
    Table table{"operator_totals", "Time per kind of operator, " + form.of, {}, {}};
    table.columns = {detail(words("phase"), 2),
                     words("operator"),
                     detail(count("calls"), 5),
                     times("total"),
                     detail(microseconds("mean"), 6),
                     percent("share"),
                     times("exposed"),
                     detail(count("layers")),
                     detail(times("in_flight"), 7),
                     detail(times("hidden"), 3),
                     detail(times("skew"), 4)};
    table.columns[5].bar = true;
    const auto totals = phase_totals(results);
    const auto names = names_by_kind(results.operators);
    const bool divided = form.parts != 1.0;
    for (const auto& sum : sums_by_kind(results.operators)) {
        const auto layers = std::ssize(names.at({sum.phase, sum.operator_name}));
        const auto calls = divided ? Cell(static_cast<double>(sum.calls) / form.parts) : Cell(sum.calls);
        table.rows.push_back({std::string(phase_name(sum.phase)), sum.operator_name, calls,
                              sum.total_us / form.parts, sum.per_call(sum.total_us),
                              share_pct(sum.total_us, totals.at(sum.phase))});
        auto& row = table.rows.back();
        const auto& exchange = sum.communication;
        const auto part = [&](double time) { return exchange ? Cell(time / form.parts) : Cell(); };
        const auto known = exchange.value_or(CommunicationTimes{});
        row.push_back(part(known.exposed_us));
        row.emplace_back(layers);
        row.push_back(part(known.in_flight_us));
        row.push_back(part(known.hidden_us));
        row.push_back(part(known.skew_us));
    }
    return table;
}

}  // namespace convoy
