#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// summary.json: all that a script wants to know of a run; keys and units are in RUN_FOLDER.md. A figure that
/// a run does not have is null, and KEY_reason beside it says why.
nlohmann::json summary_json(const RunResults& results);

/// Fills in name, run_id, status, nodes, batch_size and summaries from summary.json. Throws DataError, which
/// names source and key, where it is not what summary_json wrote.
void read_summary_json(const nlohmann::json& summary, const std::string& source, RunResults& results);

}  // namespace convoy
