#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replication/joined.hpp"

namespace convoy {

/// What the runs say of a claim. not_published: the published figures do not have what the claim says, so
/// there is nothing to replicate.
enum class Outcome : std::uint8_t { replicates, does_not, untested, not_published };
/// "replicates", "does not replicate", "cannot be tested" or "not in the published figures".
std::string_view outcome_words(Outcome outcome);

/// A claim at one batch size.
struct ClaimPoint {
    std::optional<std::int64_t> batch_size = {};
    std::optional<double> published = {}, ours = {};  ///< ours: the median
    std::optional<Spread> spread = {};                ///< of ours; not of a row over others
};

struct JudgedClaim {
    const Claim* claim = nullptr;
    std::vector<ClaimPoint> points = {};
    /// Whether the published figures say it themselves. Absent: it is told in words only.
    std::optional<bool> published_holds = {};
    Outcome outcome = Outcome::untested;
    std::int64_t tested = 0;  ///< points with a value of the runs
};

/// Whether values in the order of batch sizes have a form. Rising and falling values may lie behind
/// the furthest one before them by the factor `level`, and their ends differ by more than it. Absent if there
/// are too few values.
std::optional<bool> has_form(std::span<const double> values, const Claim& claim, const ReplicationSpec& spec);

/// Judges the claims on an experiment. The spec must outlive the result.
std::vector<JudgedClaim> judged_claims(std::span<const PublishedFigure> published,
                                       const std::string& experiment, const OwnRuns& runs,
                                       const ReplicationSpec& spec);

}  // namespace convoy
