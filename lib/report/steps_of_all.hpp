#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "report/journal_folder.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// How far all nodes of a run have told. If a run is killed, or is under way, some nodes have told more than
/// others. A step or an epoch of some nodes only would have a wrong loss and wrong times, so tables end where
/// all nodes have told.
struct StepsOfAll {
    static constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_step = no_limit;
    std::int64_t last_epoch = no_limit;
    std::optional<std::string> line = {};  ///< for the user, if some nodes have told more

    /// Whether tables have the row.
    [[nodiscard]] bool has(const StepRecord& row) const { return row.step <= last_step; }
    [[nodiscard]] bool has(const NodeEpochRecord& row) const { return row.epoch <= last_epoch; }
    [[nodiscard]] bool has(const OperatorRecord& row) const { return row.epoch <= last_epoch; }
    /// The records without the rows that tables do not have.
    [[nodiscard]] NodeRecords of(NodeRecords records) const;
};

/// Finds how far the nodes 0 to `ranks` - 1 of a run have told. A run that is done has no limit. Nodes do not
/// count that have told their summary, since no more comes of them, and nodes whose journal is damaged, since
/// JournalFolder::each tells that tables lack their rows. A journal that is cut off counts up to its last
/// whole frame. Without any that counts there is no limit. Before
/// the last step of `resumed_from_steps`, the run may have had other nodes; all of it had been told.
StepsOfAll steps_of_all(const JournalFolder& journals, std::int64_t ranks, const RunHeader& run);

}  // namespace convoy
