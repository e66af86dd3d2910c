#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "replication/replication_spec.hpp"
#include "report/measurement.hpp"
#include "report/record_choice.hpp"
#include "report/table.hpp"

namespace convoy {

/// The times of the operators of one name in training, of the mean node, over all chosen epochs.
struct OperatorTimesSum {
    double total_us = 0.0;
    std::optional<CommunicationTimes> exchange = {};  ///< absent: it is no exchange
};

/// What measures take from one run.
struct MeasuredRun {
    std::string name;  ///< of its folder
    std::int64_t batch_size = 0;
    std::int64_t epochs = 0, steps = 0;          ///< that are counted
    std::int64_t all_epochs = 0, all_steps = 0;  ///< of the whole run, which summaries are of
    std::map<std::string, OperatorTimesSum, std::less<>> operators = {};
    std::map<std::string, Table, std::less<>> tables = {};  ///< those that the measures need
    std::optional<Verdict> verdict = {};
};

/// Takes them from the chosen records of a run.
MeasuredRun measured_run(const ChosenRun& run, const std::string& name, const ReplicationSpec& spec);

/// A measure of a run, for a published row. Absent if the run does not have all its terms.
std::optional<double> measured(const MeasuredRun& run, std::span<const MeasureTerm> terms,
                               const std::string& row);

/// The runs of one system.
struct SystemRuns {
    std::string system;
    std::vector<MeasuredRun> runs = {};
};

/// Reads a run folder, the runs of a sweep's folder, or the run folders directly in a folder. One run at a
/// time is in memory. Throws MissingFileError if there is none, DataError if a run was interrupted, and as
/// read_chosen_run.
SystemRuns read_system_runs(const std::string& system, const std::filesystem::path& folder,
                            const RecordChoice& choice, const ReplicationSpec& spec);

/// The median over the repeats, with the least and the greatest.
struct Spread {
    double median = 0.0, least = 0.0, greatest = 0.0;
    std::int64_t runs = 0;
    bool operator==(const Spread&) const = default;
};

/// A measure over the runs with a batch size, or over all. Absent if no run has it.
std::optional<Spread> spread_of(const SystemRuns& system, const Measure& measure, const std::string& row,
                                std::optional<std::int64_t> batch_size);

/// a / b of the medians. The runs are no pairs, so the range is from the least a / the greatest b on. Absent
/// if a value of b is not above 0.
std::optional<Spread> ratio_of(const std::optional<Spread>& a, const std::optional<Spread>& b);

/// The median of the ratios at the batch sizes that both systems have, and the medians of the ends of their
/// ranges: other batch sizes have other ratios, which no repeats would change. Absent if there is none.
std::optional<Spread> ratio_over_batches(const SystemRuns& a, const SystemRuns& b, const Measure& measure,
                                         const std::string& row);

/// The batch sizes of the runs.
std::set<std::int64_t> batch_sizes_of(const SystemRuns& a, const SystemRuns& b);

}  // namespace convoy
