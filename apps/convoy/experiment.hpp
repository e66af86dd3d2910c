#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "checkpoint/checkpoint_folder.hpp"
#include "joining.hpp"
#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A spec that was read and found sound, and what `plan` says of it.
struct CheckedSpec {
    ExperimentSpec spec;
    std::string description;
};
/// Reads a spec and plans it without running. Throws MissingFileError, and DataError that names the file and
/// the field, also for what only the network or the dataset can tell. data_folder holds one folder per
/// dataset.
CheckedSpec check_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const std::filesystem::path& data_folder);

/// Where the checkpoints are kept that a spec wants of the run that is to leave this folder; null where it
/// wants none. Throws as CheckpointFolder does.
std::unique_ptr<CheckpointFolder> checkpoints_of(const ExperimentSpec& spec,
                                                 const std::filesystem::path& run_folder,
                                                 CheckpointFolder::Open open);

/// Launches a cluster for a spec, some of whose nodes may join by hand, with progress and warnings on stderr,
/// and returns what came of it: also where the user interrupted it. data_folder holds one folder per dataset.
/// Keeps checkpoints where there is a folder for them, and goes on from the newest where that was opened for
/// it. Throws as launch does.
RunRecord run_experiment(const ExperimentSpec& spec, const std::filesystem::path& data_folder,
                         const CheckpointFolder* checkpoints = nullptr, const Joining& joining = {});

}  // namespace convoy
