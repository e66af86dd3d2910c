#pragma once

#include <nlohmann/json_fwd.hpp>

#include "measure/records.hpp"

namespace convoy {

/// Converts records to JSON for the way from a worker to the launcher. The result is an object with one list
/// for each kind of record. Each record is a list of its fields in the order of records.hpp; absent fields
/// are null. Write it as CBOR: JSON text has no NaN.
nlohmann::json records_to_json(const NodeRecords& records);

/// Reads records from JSON. Throws a DataError that names list, record and field, if a key is missing or
/// unknown, a value has another type, a count or a time is negative and must not be, or a name is longer than
/// 1000 bytes.
NodeRecords records_from_json(const nlohmann::json& json);

/// Converts times of operators to a JSON list, and back. operator_times_from_json checks its input as
/// records_from_json does.
nlohmann::json operator_times_to_json(const std::vector<OperatorTimes>& times);
std::vector<OperatorTimes> operator_times_from_json(const nlohmann::json& json);

}  // namespace convoy
