#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "placing.hpp"
#include "run_description.hpp"
#include "spec/experiment_spec.hpp"
#include "voice.hpp"

namespace convoy {

/// Whether the run in a run folder or an OUT.partial is of the same training as the spec, perhaps with other
/// nodes or another strategy. False if its spec cannot be read.
bool is_of_training(const std::filesystem::path& folder, const ExperimentSpec& spec);

/// Whether a run folder has an interrupted run of which the partial run is a later part. False if there is no
/// such folder.
bool is_earlier_part(const std::filesystem::path& run_folder, const std::filesystem::path& partial);

/// The nodes that the run in OUT.partial, or else that in OUT, had lost, for the run that continues it. Empty
/// if neither can be read.
std::vector<NodeFailure> failures_before(const std::filesystem::path& run_folder);

/// The folder of a run without --out that ended early: of results/NAME-RUNID, results/NAME-RUNID-2 and so on
/// the one that has an OUT.partial or checkpoints beside it; the first name if none has. Those that a process
/// holds count only if there is no other. Throws UsageError that lists them if there are several.
std::filesystem::path folder_to_resume(const std::filesystem::path& results, const std::string& name,
                                       const std::string& run_id);

/// Throws UsageError if the run in a run folder or an OUT.partial was made by another version of convoy,
/// which cannot be continued: ids and checkpoints are of a version. Does nothing if there is no such run.
void require_own_version(const std::filesystem::path& folder);

/// The line that says what differs from the build and the data of the run in a folder.
std::string changes_text(const std::filesystem::path& folder, const std::vector<std::string>& differences);
/// The end of an error with that line.
inline constexpr const char* how_to_accept_changes =
    "; give another --out, or add --accept-changes: environment.json then has this line";

/// Throws UsageError if the run in a run folder or an OUT.partial was made by another build of convoy, or
/// from other data, than a run of this description would be. accepted: warns instead, by the voice and in
/// the run's description. Does nothing if there is no such run.
void require_same_origin(const std::filesystem::path& folder, RunDescription& description, bool accepted,
                         const Voice& voice);

/// Throws UsageError if another process made the run folder, or completed the run in it, since the
/// destination was chosen.
void require_as_found(const Destination& destination);

/// Gives an OUT.partial that holds something trained another name, OUT.before.partial or OUT.before-2.partial
/// and so on, and tells the user. Does nothing if there is no such folder. Throws UsageError if a process
/// holds it, OutputError.
void set_aside(const std::filesystem::path& partial, const Voice& voice = Voice());

}  // namespace convoy
