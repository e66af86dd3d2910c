#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "report/run_record.hpp"

namespace convoy {

/// The most rows of steps that results hold, over all nodes, and the most readings.
inline constexpr std::size_t most_step_rows = std::size_t{1} << 18U;
inline constexpr std::size_t most_readings = std::size_t{1} << 17U;
/// The most steps of workers of which the versions of several servers are compared.
inline constexpr std::size_t most_compared_pulls = std::size_t{1} << 18U;

/// Makes RunResults of records that come one after another, in bounded memory:
///
/// * The rows of an operator of a node and phase become one row over all epochs. Its percentiles are means
///   of those of the epochs, weighted by calls.
/// * When there are too many steps, only every second step is kept, then every fourth, and so on.
/// * When there are too many readings, each two neighbours of a node become one, then each four, and so on.
/// * Updates of servers become counts. The first most_compared_pulls versions are compared between servers.
/// * Epochs are kept: one row for each.
class ResultsBuilder {
  public:
    /// header: the results without records. The limits are smaller in tests only.
    explicit ResultsBuilder(RunResults header, std::size_t step_rows = most_step_rows,
                            std::size_t readings = most_readings)
        : results_(std::move(header)), most_step_rows_(step_rows), most_readings_(readings) {}

    /// Adds the next records. Those of a node come in order, and node by node.
    void add(const OperatorRecord& row);
    void add(const StepRecord& row);
    void add(const NodeEpochRecord& row);
    void add(const EpochRecord& row) { results_.epochs.push_back(row); }
    void add(const SystemSample& row);
    /// A later summary of a node takes the place of an earlier one.
    void add(const NodeSummary& row);
    void add(const UpdateRecord& row);
    void add(const NodeRecords& part);

    /// Moves the results out. A node that sent no summary, since its run was killed, has one of its other
    /// records.
    RunResults finish();

  private:
    using OperatorKey =
        std::tuple<std::int64_t, RunPhase, std::string, std::string, std::string, std::string, std::string>;
    /// The readings of a node that become one.
    struct Group {
        SystemSample sum;
        std::size_t count = 0;
    };
    void end_group();
    void halve_steps();
    void halve_readings();
    void count_updates();

    RunResults results_;
    std::size_t most_step_rows_, most_readings_;
    std::map<OperatorKey, std::size_t> places_;  ///< of operators in the results
    std::map<std::int64_t, NodeEpochRecord> epochs_;
    std::map<std::int64_t, NodeSummary> told_;  ///< by node: from records that are no summary
    /// The versions of the values with which a worker began a step.
    struct Versions {
        std::int64_t least = 0, most = 0, servers = 0;
    };
    std::map<std::int64_t, WorkerUpdates> updates_;                       ///< by worker
    std::map<std::pair<std::int64_t, std::int64_t>, Versions> versions_;  ///< by worker and step
    std::size_t group_size_ = 1;
    Group group_;
};

}  // namespace convoy
