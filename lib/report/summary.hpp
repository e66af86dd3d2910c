#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// Makes summary.json, the summary of a run for scripts. RUN_FOLDER.md has its keys and units. A value that
/// the run does not have is null, and KEY_reason beside it gives the reason.
nlohmann::json summary_json(const RunResults& results);

/// Reads summary.json, and sets all fields of RunResults that it has: name, run_id, status, nodes,
/// batch_size, summaries and others. Throws a DataError that names source and key if it is not in the format
/// of summary_json.
void read_summary_json(const nlohmann::json& summary, const std::string& source, RunResults& results);

}  // namespace convoy
