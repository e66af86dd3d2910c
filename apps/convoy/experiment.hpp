#pragma once

#include <filesystem>
#include <memory>

#include "checked_spec.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "joining.hpp"
#include "monitoring.hpp"
#include "placing.hpp"
#include "run_description.hpp"
#include "spec/experiment_spec.hpp"
#include "voice.hpp"

namespace convoy {

/// Opens the folder for the checkpoints of a run, beside its run folder. null if the spec asks for no
/// checkpoints. Throws as CheckpointFolder.
std::unique_ptr<CheckpointFolder> checkpoints_of(const ExperimentSpec& spec,
                                                 const std::filesystem::path& run_folder,
                                                 CheckpointFolder::Open open);

/// Launches a cluster for a checked spec, with progress and warnings on stderr, and writes the run folder,
/// also if the user interrupted the run. description: of this spec. data_folder: has one folder for each
/// dataset. checkpoints: keeps checkpoints there, and continues from the newest one if the folder was opened
/// to resume; null: no checkpoints. voice: how much is told. joining: how nodes join that are started by
/// hand. places: how others see the run.
///
/// Results go to OUT.partial beside destination.folder while they come, and stay there after an error; the
/// error then names it. Throws as launch, MetricsExport, NodeLogs, and UsageError or OutputError as
/// PartialRun. Signals that end the process (base/end_on_signal.hpp) are the launcher's while nodes run, and
/// end the process at once while tables are written; else they wait. They still wait behind an error, so that
/// it can be said first.
FinishedRun run_experiment(const CheckedSpec& checked, const RunDescription& description,
                           const std::filesystem::path& data_folder, Destination destination,
                           const CheckpointFolder* checkpoints, const Voice& voice,
                           const Joining& joining = {}, const MonitoringPlaces& places = {});

}  // namespace convoy
