#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "measure/records.hpp"

namespace convoy {

/// Converts a node's summary to a list of its fields, as records travel.
nlohmann::json summary_to_list(const NodeSummary& summary);

/// Reads such a list. It checks its input as records_from_json does; where: the place for errors.
NodeSummary summary_from_list(const nlohmann::json& value, const std::string& where);

/// Converts a node's summary to an object with one key for each field, as in summary.json.
nlohmann::json summary_to_json(const NodeSummary& summary);

/// Reads a node's summary from JSON. It checks its input as records_from_json does.
NodeSummary summary_from_json(const nlohmann::json& json);

}  // namespace convoy
