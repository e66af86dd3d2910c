#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A fault as records and texts have it, with its rank as the node, without a time.
PlannedFault planned_fault(const ComingFault& fault);

/// The faults of a spec, with the random ones drawn, as the description of a run has them.
std::vector<PlannedFault> planned_faults(const ExperimentSpec& spec);

/// One line for each fault of a spec, as in "fault: kill of node 2 at step 50"; empty if it has none.
std::string faults_text(const ExperimentSpec& spec);

/// Why a fault cannot happen: its step is behind the last step of the run. Absent if all may happen.
std::optional<std::string> fault_behind_end(const FaultsSpec& faults, std::int64_t steps);

/// Removes the faults at steps that have happened, by the rows of the failures table.
void forget_past_faults(FaultsSpec& faults, std::span<const NodeFailure> failures);

/// The random faults that are still to come. Absent: the spec has no random faults.
std::optional<TimedFaults> timed_faults(const ExperimentSpec& spec, std::span<const NodeFailure> failures);

/// A line for each fault at a step that is not among those that came.
std::vector<std::string> faults_missed(const FaultsSpec& faults, std::span<const ComingFault> came);

}  // namespace convoy
