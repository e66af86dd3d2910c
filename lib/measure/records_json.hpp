#pragma once

#include <nlohmann/json_fwd.hpp>

#include "measure/records.hpp"

namespace convoy {

/// Records as they travel from a worker to the launcher: an object with one list per kind of record, in which
/// each record is a list of its fields in the order of records.hpp (absent ones null). Text form (trace
/// slices aside) is no goal: NaN survives in CBOR only.
nlohmann::json records_to_json(const NodeRecords& records);

/// The way back. Throws DataError, which names list, record and field, where a key is missing or unknown, a
/// type is another, a count or time is negative where it cannot be, or a name is longer than 1000 bytes.
NodeRecords records_from_json(const nlohmann::json& json);

/// Times of operators likewise, as a list; the way back is checked as records_from_json.
nlohmann::json operator_times_to_json(const std::vector<OperatorTimes>& times);
std::vector<OperatorTimes> operator_times_from_json(const nlohmann::json& json);

/// One node's summary as an object with a key per field, as it stands in summary.json.
nlohmann::json summary_to_json(const NodeSummary& summary);

/// The way back, checked as records_from_json.
NodeSummary summary_from_json(const nlohmann::json& json);

}  // namespace convoy
