#pragma once

#include <filesystem>

#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Launches a cluster for a spec, with progress and warnings on stderr, and returns what came of it: also
/// where the user interrupted it. data_folder holds one folder per dataset. Throws as launch does.
RunRecord run_experiment(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

}  // namespace convoy
