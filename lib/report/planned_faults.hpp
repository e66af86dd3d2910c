#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace convoy {

/// The faults that a run's spec has, or that were drawn for it, as a list of objects for summary.json.
nlohmann::json planned_faults_json(std::span<const PlannedFault> faults);

/// The planned faults in a summary, whose key "faults" may be absent. source: names the summary in errors.
/// Throws DataError.
std::vector<PlannedFault> read_planned_faults(const nlohmann::json& summary, const std::string& source);

}  // namespace convoy
