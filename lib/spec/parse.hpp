#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Reads an experiment spec, applies the overrides ("a.b=value", value JSON or else a string) in order, fills
/// in defaults and validates. Throws MissingFileError, or DataError with one line: where it stands (JSON
/// path), what was found and what was expected. Unknown keys are errors.
ExperimentSpec load_spec(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// As load_spec, for JSON in memory; source names it in errors.
ExperimentSpec parse_spec(const nlohmann::json& json, const std::string& source = "spec");

/// The value of a spec's cluster alone: for command lines. Throws DataError as parse_spec does.
ClusterSpec parse_cluster(const nlohmann::json& content, const std::string& source);

/// Makes the relative paths of a dataset's own files absolute that are there from folder on, where the spec
/// is; the others stay, and are looked up in the data folder. Puts the content of a calibration file, from
/// there too, in the place of its path. load_spec does so. Throws as load_calibration.
void find_files_beside(ExperimentSpec& spec, const std::filesystem::path& folder);

/// Sets one field of a JSON spec: "strategy.bucket_bytes=65536". Path parts are keys, or indices of arrays.
/// Throws UsageError where the assignment cannot be read.
void apply_override(nlohmann::json& json, const std::string& assignment);

/// The spec as JSON with every default written out; parse_spec of it gives the same value.
nlohmann::json to_json(const ExperimentSpec& spec);

/// What of a spec its run's identity is made of: to_json without the fields that came later and say nothing,
/// so that a spec that does not use them keeps the identity that it had before.
nlohmann::json identifying_json(const ExperimentSpec& spec);

/// The run's identity: SHA-256 over identifying_json (machine defaults left absent), convoy's version and
/// the content of initial_weights; the first 12 digits are what folders and tables show. Throws
/// MissingFileError where those are not there.
std::string run_id(const ExperimentSpec& spec);

}  // namespace convoy
