#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// The nodes that a run lost, in order: one row for each. Without rows if it lost none.
Table failures_table(const RunResults& results);

/// The same as a list of objects, for summary.json.
nlohmann::json failures_json(std::span<const NodeFailure> failures);

/// The failures in a summary, whose key "failures" may be absent. source: names the summary in errors. Throws
/// DataError.
std::vector<NodeFailure> read_failures(const nlohmann::json& summary, const std::string& source);

}  // namespace convoy
