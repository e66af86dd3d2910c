#include "replication/joined.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

bool is_listed(std::span<const std::string> list, const std::string& text) {
    return std::ranges::count(list, text) > 0;
}

/// Puts a published figure where it belongs in its row.
void add_published(JoinedRow& row, const PublishedFigure& figure, const ReplicationSpec& spec) {
    if (figure.system == spec.a) row.published_a = figure.value;
    if (figure.system == spec.b) row.published_b = figure.value;
    if (figure.system == spec.a + "/" + spec.b) row.published_ratio = figure.value;
    if (figure.system == spec.b + "/" + spec.a && figure.value && *figure.value != 0.0)
        row.published_ratio = 1.0 / *figure.value;
}

enum class Direction : std::uint8_t { up, down, even };

Direction direction_of(double ratio, double level) {
    if (ratio <= level && ratio * level >= 1.0) return Direction::even;
    return ratio > 1.0 ? Direction::up : Direction::down;
}

Direction direction_of(const Spread& ours, double level) {
    if (ours.runs < 2) return direction_of(ours.median, level);
    if (ours.least > 1.0) return Direction::up;
    return ours.greatest < 1.0 ? Direction::down : Direction::even;
}

/// Fills in what the published figures and the runs say together.
void complete(JoinedRow& row, const Measure& measure, const OwnRuns& runs, const ReplicationSpec& spec) {
    if (!row.published_ratio && row.published_a && row.published_b && *row.published_b != 0.0)
        row.published_ratio = *row.published_a / *row.published_b;
    row.ours_a = spread_of(runs.a, measure, row.row, row.batch_size);
    row.ours_b = spread_of(runs.b, measure, row.row, row.batch_size);
    row.ours_ratio = row.batch_size ? ratio_of(row.ours_a, row.ours_b)
                                    : ratio_over_batches(runs.a, runs.b, measure, row.row);
    row.agreement = agreement_of(row.published_ratio, row.ours_ratio, spec);
}

}  // namespace

std::string_view agreement_words(Agreement agreement) {
    switch (agreement) {
        case Agreement::same_magnitude: return "same order of magnitude";
        case Agreement::same_direction: return "same direction";
        case Agreement::differs: return "differs";
        case Agreement::no_difference: return "no difference seen";
        case Agreement::not_measured: return "not measured";
        case Agreement::no_ratio: return "no ratio published";
    }
    throw InternalError("an agreement without words");
}

Agreement agreement_of(std::optional<double> published, const std::optional<Spread>& ours,
                       const ReplicationSpec& spec) {
    if (!published || *published <= 0.0) return Agreement::no_ratio;
    if (!ours || ours->median <= 0.0) return Agreement::not_measured;
    const auto apart = std::max(*published / ours->median, ours->median / *published);
    if (apart <= spec.level) return Agreement::same_magnitude;
    const auto direction = direction_of(*ours, spec.level);
    if (direction == Direction::even) return Agreement::no_difference;
    if (direction != direction_of(*published, spec.level)) return Agreement::differs;
    return apart <= spec.magnitude ? Agreement::same_magnitude : Agreement::same_direction;
}

std::vector<JoinedRow> join(std::span<const PublishedFigure> published, const std::string& experiment,
                            std::span<const std::string> tables, std::span<const std::string> rows,
                            const Measure& measure, const OwnRuns& runs, const ReplicationSpec& spec) {
    std::string numbers;
    for (const auto& table : tables) numbers += (numbers.empty() ? "" : ", ") + table;
    std::vector<JoinedRow> joined;
    std::map<std::pair<std::string, std::optional<std::int64_t>>, std::size_t> places;
    for (const auto& figure : published) {
        const bool counts = is_listed(tables, figure.table) && figure.value &&
                            (figure.experiment.empty() || figure.experiment == experiment) &&
                            (rows.empty() || is_listed(rows, figure.row));
        if (!counts) continue;
        const auto [place, is_new] =
            places.try_emplace(std::pair(figure.row, figure.batch_size), joined.size());
        if (is_new) joined.push_back({.table = numbers, .row = figure.row, .batch_size = figure.batch_size});
        add_published(joined[place->second], figure, spec);
    }
    for (auto& row : joined) complete(row, measure, runs, spec);
    return joined;
}

}  // namespace convoy
