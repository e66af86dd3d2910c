#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A spec that was read and found sound, and what `plan` says of it.
struct CheckedSpec {
    ExperimentSpec spec;
    std::string description;
};
/// Reads a spec and plans it without running. Throws MissingFileError, and DataError that names the file and
/// the field, also for what only the network or the dataset can tell.
CheckedSpec check_spec(const std::filesystem::path& file, std::span<const std::string> overrides);

/// Launches a cluster for a spec, with progress and warnings on stderr, and returns what came of it: also
/// where the user interrupted it. data_folder holds one folder per dataset. Throws as launch does.
RunRecord run_experiment(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
