#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checked_spec.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "job/checkpoint.hpp"
#include "measure/records.hpp"
#include "report/partial_run.hpp"
#include "voice.hpp"

namespace convoy {

/// The warning of a run whose journals do not reach its checkpoint.
inline constexpr const char* lost_records_line =
    "records of the steps before the checkpoint are lost; tables lack them";

/// The checkpoint from which a run continues, and a warning if it was made with another cut.
struct Continuation {
    std::optional<RunCheckpoint> checkpoint = {};           ///< absent: the run begins at its beginning
    std::map<std::int64_t, NodeRecords> last_records = {};  ///< of ranks that are gone
    std::vector<std::string> warnings = {};

    /// The number of steps that are done.
    [[nodiscard]] std::int64_t step() const { return checkpoint ? checkpoint->step() : 0; }
    /// The steps of all checkpoints from which the run was continued, with this one.
    [[nodiscard]] std::vector<std::int64_t> resumed_from_steps() const;
};

/// Finds the newest checkpoint that is intact, and makes it fit the ranks of the run. folder: null: the run
/// keeps no checkpoints. voice: warns of damaged ones. Throws DataError if the run cannot go on from it.
Continuation newest_checkpoint(const CheckpointFolder* folder, const CheckedSpec& checked,
                               const Voice& voice);

/// Where the records of the run go on in OUT.partial. It moves the records of ranks that are gone out of
/// `from`. run_folder: OUT.
PartialMarks marks_of(Continuation& from, const std::filesystem::path& run_folder);

}  // namespace convoy
