#pragma once

#include <functional>
#include <vector>

#include "checked_spec.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "cluster/launcher.hpp"
#include "continuation.hpp"
#include "failure_log.hpp"
#include "monitoring.hpp"
#include "progress.hpp"
#include "report/partial_run.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// A run that is ready to be launched. All that it refers to outlives it.
struct ReadyRun {
    const CheckedSpec& checked;
    const CheckpointFolder* checkpoints;  ///< null: none
    PartialRun& partial;
    const std::filesystem::path& folder;  ///< OUT
    std::uint64_t weights_bytes;          ///< room for the weights
    /// The description of the run, with what is known of it.
    const std::function<RunRecord(const RunOutcome&)>& record;
    RunOutcome& begun;                   ///< what was known when the run began or went on
    std::vector<NodeFailure>& failures;  ///< nodes that were lost; the description has them too
    LaunchOptions options;
    const Voice& voice;
    Monitoring* monitoring = nullptr;  ///< null: no metrics
    NodeLogs* logs = nullptr;          ///< null: none
};

/// Launches a run. If a node is lost, and the spec's policy is to restart, it launches the run again, from
/// the newest checkpoint or from the beginning, until the run ends in another way or has begun often enough
/// (Restarts). A node that is lost before all nodes have joined for the first time ends the run.
///
/// Signals that end the process must be held (HeldSignals). Throws as launch; NodeLostError if the run has
/// begun often enough; InterruptedError if a signal comes between two launches.
RunOutcome launch_and_restart(ReadyRun run, ProgressLine& progress);

}  // namespace convoy
