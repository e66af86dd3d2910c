#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Reads an experiment spec, applies the overrides ("a.b=value", value JSON or else a string) in order, fills
/// in defaults and validates. Throws MissingFileError, or a DataError with one line: the JSON path, the found
/// value and the expected values. Unknown keys are errors.
ExperimentSpec load_spec(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// As load_spec, for JSON in memory. source: its name in errors.
ExperimentSpec parse_spec(const nlohmann::json& json, const std::string& source = "spec");

/// Reads only the cluster of a spec, for command lines. Throws DataError as parse_spec.
ClusterSpec parse_cluster(const nlohmann::json& content, const std::string& source);

/// Resolves the relative paths in a spec from `folder`, the folder of the spec. Paths of NPY files become
/// absolute if the files exist there; other paths do not change, and are looked up in the data folder later.
/// The path of a calibration file is replaced by its content. load_spec calls it. Throws as load_calibration.
void find_files_beside(ExperimentSpec& spec, const std::filesystem::path& folder);

/// Sets one field of a JSON spec: "strategy.bucket_bytes=65536". Path parts are keys, or indices of arrays.
/// Throws UsageError if the assignment cannot be parsed.
void apply_override(nlohmann::json& json, const std::string& assignment);

/// The spec as JSON, with all defaults written out. parse_spec gives the same value again.
nlohmann::json to_json(const ExperimentSpec& spec);

}  // namespace convoy
