#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replication/measured_runs.hpp"
#include "replication/published.hpp"

namespace convoy {

/// How far two ratios agree.
enum class Agreement : std::uint8_t {
    same_magnitude,  ///< the same direction, and the same order of magnitude
    same_direction,
    differs,
    no_difference,  ///< ours is even, so that more repeats may tell
    not_measured,   ///< the runs have no such ratio
    no_ratio        ///< none was published
};
/// "same order of magnitude", for instance.
std::string_view agreement_words(Agreement agreement);

/// Compares a published ratio with one of runs. A published ratio is even if it is within the factor `level`
/// of 1; ours is even if its range holds 1, and without repeats as the published one. Ratios that are nearer
/// to each other than `level` agree.
Agreement agreement_of(std::optional<double> published, const std::optional<Spread>& ours,
                       const ReplicationSpec& spec);

/// One row of a published table beside the runs.
struct JoinedRow {
    std::string table, row;  ///< table: the numbers of the published tables, as in "5.1, 5.2"
    std::optional<std::int64_t> batch_size = {};
    std::optional<double> published_a = {}, published_b = {};
    std::optional<double> published_ratio = {};  ///< as printed if it was; else of the values
    std::optional<Spread> ours_a = {}, ours_b = {}, ours_ratio = {};
    Agreement agreement = Agreement::no_ratio;
};

/// The runs of both systems.
struct OwnRuns {
    SystemRuns a, b;
};

/// The published figures of some tables and one experiment beside a measure of the runs, in the published
/// order. rows: only these; empty: all.
std::vector<JoinedRow> join(std::span<const PublishedFigure> published, const std::string& experiment,
                            std::span<const std::string> tables, std::span<const std::string> rows,
                            const Measure& measure, const OwnRuns& runs, const ReplicationSpec& spec);

}  // namespace convoy
