#include "replication/claims.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace convoy {
namespace {

/// The rows of a claim: the published ones, or those of all batch sizes of the runs.
std::vector<JoinedRow> rows_of_claim(const std::string& row, const Claim& claim,
                                     std::span<const PublishedFigure> published,
                                     const std::string& experiment, const OwnRuns& runs,
                                     const ReplicationSpec& spec) {
    const auto& measure = spec.measures.at(claim.measure);
    if (!claim.tables.empty()) {
        const std::vector<std::string> only{row};
        return join(published, experiment, claim.tables, row.empty() ? std::span<const std::string>() : only,
                    measure, runs, spec);
    }
    std::vector<JoinedRow> rows;
    for (const auto batch : batch_sizes_of(runs.a, runs.b)) {
        JoinedRow joined{.table = "", .row = row, .batch_size = batch};
        joined.ours_a = spread_of(runs.a, measure, row, batch);
        joined.ours_b = spread_of(runs.b, measure, row, batch);
        joined.ours_ratio = ratio_of(joined.ours_a, joined.ours_b);
        rows.push_back(std::move(joined));
    }
    return rows;
}

std::optional<double> middle(const std::optional<Spread>& spread) {
    return spread ? std::optional(spread->median) : std::nullopt;
}

/// The figures that a claim is of: a system's, or the ratio's.
ClaimPoint point_of(const JoinedRow& row, const Claim& claim, const ReplicationSpec& spec) {
    ClaimPoint point{.batch_size = row.batch_size};
    if (claim.of == spec.a) {
        point.published = row.published_a;
        point.spread = row.ours_a;
    } else if (claim.of == spec.b) {
        point.published = row.published_b;
        point.spread = row.ours_b;
    } else {
        point.published = row.published_ratio;
        point.spread = row.ours_ratio;
    }
    point.ours = middle(point.spread);
    return point;
}

std::optional<double> over(std::optional<double> value, std::optional<double> other) {
    return value && other && *other > 0.0 ? std::optional(*value / *other) : std::nullopt;
}

/// The points of a claim; of one that a row leads, its values over the greatest of the others.
std::vector<ClaimPoint> points_of(const Claim& claim, std::span<const PublishedFigure> published,
                                  const std::string& experiment, const OwnRuns& runs,
                                  const ReplicationSpec& spec) {
    const auto series = [&](const std::string& row) {
        std::vector<ClaimPoint> points;
        for (const auto& joined : rows_of_claim(row, claim, published, experiment, runs, spec))
            points.push_back(point_of(joined, claim, spec));
        std::ranges::stable_sort(points, {}, &ClaimPoint::batch_size);
        return points;
    };
    auto points = series(claim.row);
    if (claim.form != ClaimForm::leads) return points;
    std::vector<ClaimPoint> others(points.size());
    for (const auto& row : claim.among) {
        if (row == claim.row) continue;
        for (const auto& point : series(row)) {
            const auto place = std::ranges::find(points, point.batch_size, &ClaimPoint::batch_size);
            if (place == points.end()) continue;
            auto& other = others[static_cast<std::size_t>(place - points.begin())];
            other.published = std::max(other.published, point.published);
            other.ours = std::max(other.ours, point.ours);
        }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].published = over(points[i].published, others[i].published);
        points[i].ours = over(points[i].ours, others[i].ours);
        points[i].spread.reset();
    }
    return points;
}

/// Many small steps back must not add up to a large one, so each value is compared with the furthest before
/// it.
bool never_turns(std::span<const double> values, bool rises, double level) {
    double furthest = values.front();
    for (const double value : values) {
        if (rises ? value * level < furthest : value > furthest * level) return false;
        furthest = rises ? std::max(furthest, value) : std::min(furthest, value);
    }
    const double low = rises ? values.front() : values.back();
    const double high = rises ? values.back() : values.front();
    return high > low * level;
}

bool is_extreme(ClaimForm form) {
    return form == ClaimForm::greatest || form == ClaimForm::least;
}

double extreme(std::span<const double> values, ClaimForm form) {
    return form == ClaimForm::greatest ? std::ranges::max(values) : std::ranges::min(values);
}

Outcome outcome_of(std::optional<bool> holds) {
    if (!holds) return Outcome::untested;
    return *holds ? Outcome::replicates : Outcome::does_not;
}

/// What the runs say of an extreme, which has to be as large as the published one. The points are of the
/// batch sizes that have a published figure, if any has one.
Outcome outcome_of_extreme(std::span<const ClaimPoint> points, const Claim& claim,
                           const ReplicationSpec& spec) {
    std::vector<double> theirs;
    const ClaimPoint* ours = nullptr;
    for (const auto& point : points) {
        if (point.published) theirs.push_back(*point.published);
        const bool is_more =
            ours != nullptr &&
            (claim.form == ClaimForm::greatest ? *point.ours > *ours->ours : *point.ours < *ours->ours);
        if (ours == nullptr || is_more) ours = &point;
    }
    if (ours == nullptr) return Outcome::untested;
    const auto told = theirs.empty() ? claim.bound : std::optional(extreme(theirs, claim.form));
    switch (agreement_of(told, ours->spread, spec)) {
        case Agreement::same_magnitude: return Outcome::replicates;
        case Agreement::same_direction:
        case Agreement::differs: return Outcome::does_not;
        default: return Outcome::untested;
    }
}

JudgedClaim judged(const Claim& claim, std::span<const PublishedFigure> published,
                   const std::string& experiment, const OwnRuns& runs, const ReplicationSpec& spec) {
    JudgedClaim result{.claim = &claim};
    if (claim.measure.empty()) return result;
    result.points = points_of(claim, published, experiment, runs, spec);
    std::vector<double> theirs, ours;
    for (const auto& point : result.points) {
        if (point.published) theirs.push_back(*point.published);
        if (point.ours) ours.push_back(*point.ours);
    }
    result.tested = std::ssize(ours);
    if (is_extreme(claim.form)) {
        auto shared = result.points;
        std::erase_if(shared, [&theirs](const ClaimPoint& point) {
            return !point.ours || (!theirs.empty() && !point.published);
        });
        result.outcome = outcome_of_extreme(shared, claim, spec);
        return result;
    }
    result.published_holds = has_form(theirs, claim, spec);
    result.outcome =
        result.published_holds == false ? Outcome::not_published : outcome_of(has_form(ours, claim, spec));
    return result;
}

}  // namespace

std::string_view outcome_words(Outcome outcome) {
    switch (outcome) {
        case Outcome::replicates: return "replicates";
        case Outcome::does_not: return "does not replicate";
        case Outcome::untested: return "cannot be tested";
        case Outcome::not_published: return "not in the published figures";
    }
    throw InternalError("an outcome without words");
}

std::optional<bool> has_form(std::span<const double> values, const Claim& claim,
                             const ReplicationSpec& spec) {
    const bool is_trend = claim.form == ClaimForm::rises || claim.form == ClaimForm::falls;
    if (values.size() < (is_trend ? 2U : 1U)) return std::nullopt;
    const double bound = claim.bound.value_or(1.0);
    const auto all = [&values](const auto& holds) { return std::ranges::all_of(values, holds); };
    switch (claim.form) {
        case ClaimForm::above: return all([bound](double value) { return value > bound; });
        case ClaimForm::below: return all([bound](double value) { return value < bound; });
        case ClaimForm::at_least: return all([bound](double value) { return value >= bound; });
        case ClaimForm::at_most: return all([bound](double value) { return value <= bound; });
        case ClaimForm::leads: return all([](double value) { return value > 1.0; });
        case ClaimForm::rises: return never_turns(values, true, spec.level);
        case ClaimForm::falls: return never_turns(values, false, spec.level);
        case ClaimForm::greatest:
        case ClaimForm::least: return std::nullopt;
    }
    throw InternalError("a form of a claim that nobody knows");
}

std::vector<JudgedClaim> judged_claims(std::span<const PublishedFigure> published,
                                       const std::string& experiment, const OwnRuns& runs,
                                       const ReplicationSpec& spec) {
    std::vector<JudgedClaim> all;
    for (const auto& claim : spec.claims) {
        if (!claim.experiments.empty() && std::ranges::count(claim.experiments, experiment) == 0) continue;
        all.push_back(judged(claim, published, experiment, runs, spec));
    }
    return all;
}

}  // namespace convoy
