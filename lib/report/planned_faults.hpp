#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace convoy {

/// A fault in words: "kill of node 2 at step 50", "slow of node 1 at step 3 by factor 2.5", "hang of node 0
/// after 1.250 s of training".
std::string fault_text(const PlannedFault& fault);

/// The faults that a run's spec has, or that were drawn for it, as a list of objects for summary.json.
nlohmann::json planned_faults_json(std::span<const PlannedFault> faults);

/// The planned faults in a summary, whose key "faults" may be absent. source: names the summary in errors.
/// Throws DataError.
std::vector<PlannedFault> read_planned_faults(const nlohmann::json& summary, const std::string& source);

}  // namespace convoy
