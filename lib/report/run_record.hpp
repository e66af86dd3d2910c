#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// The limits of one emulated host. Absent: no limit.
struct EmulatedHost {
    std::optional<double> link_mbit = {};
    std::optional<double> cpu = {};  ///< in cores
    std::optional<std::int64_t> memory_mb = {};
    bool operator==(const EmulatedHost&) const = default;
};

/// The emulated hosts of a run's nodes, and their common limits.
struct EmulatedCluster {
    std::int64_t hosts = 0;
    /// Absent: no limit, or not the same limit for all hosts. The same holds for cpu and memory_mb.
    std::optional<double> link_mbit = {};
    std::optional<double> cpu = {};  ///< in cores
    std::optional<std::int64_t> memory_mb = {};
    std::vector<EmulatedHost> unlike = {};  ///< the limits of each host if hosts differ, else empty
    bool operator==(const EmulatedCluster&) const = default;

    /// The cluster as text: "5 emulated hosts (1000 Mbit/s, 0.35 cores, 2000 MB)" or "2 unlike emulated hosts
    /// (1000 Mbit/s)".
    [[nodiscard]] std::string text() const;
};

/// The accuracy that a run had to reach, on one of its splits.
struct AccuracyTarget {
    double accuracy = 1.0;
    std::string split;  ///< "validation" or "test"
    bool operator==(const AccuracyTarget&) const = default;
};

/// The results of a run, from which write_run_folder makes files.
struct RunRecord {
    std::string name;
    std::string run_id;           ///< the first 12 digits of the run's identity
    std::string status = "done";  ///< "done", or "interrupted" if a part of the run is missing
    std::int64_t nodes = 1;
    std::int64_t batch_size = 0;                   ///< global
    std::optional<EmulatedCluster> cluster = {};   ///< absent: the nodes were side by side on one machine
    std::optional<AccuracyTarget> target = {};     ///< absent: none
    std::string spec;                              ///< the resolved spec as JSON text
    std::string environment;                       ///< environment_json() as text
    NodeRecords records;                           ///< of all nodes, in any order
    std::vector<std::int64_t> resumed_from_steps;  ///< steps of the checkpoints from which it continued
    std::vector<std::byte> weights;                ///< a safetensors file; empty: none is written
};

/// The results of a run, from which tables and summaries are made. They come from memory or from a run
/// folder. Rows are sorted by node, then by epoch, step or time.
struct RunResults {
    std::string name, run_id, status;
    std::int64_t nodes = 1;
    std::int64_t batch_size = 0;
    std::optional<EmulatedCluster> cluster = {};
    std::optional<AccuracyTarget> target = {};
    std::vector<OperatorRecord> operators;
    std::vector<StepRecord> steps;
    std::vector<EpochRecord> epochs;
    std::vector<SystemSample> system;
    std::vector<NodeSummary> summaries;
    std::vector<std::int64_t> resumed_from_steps;  ///< steps of the checkpoints from which it continued
    bool operator==(const RunResults&) const = default;
};

/// Combines the epochs of all nodes: sums over nodes are divided once, times are those of the slowest node.
/// Scores of a split without examples are absent.
std::vector<EpochRecord> epoch_records(const std::vector<NodeEpochRecord>& epochs);

RunResults results_of(const RunRecord& run);

}  // namespace convoy
