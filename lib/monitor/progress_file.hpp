#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "job/node_job.hpp"

namespace convoy {

/// The progress of a run, as the launcher last heard it.
struct RunProgress {
    NodeProgress shown;                          ///< of the first node that computes a loss
    std::map<std::int64_t, NodeProgress> nodes;  ///< of each rank: phase, epoch and step only
};

/// The content of progress.json (report/PARTIAL_RUN.md). nodes: the last progress of each rank.
std::string progress_file_text(const NodeProgress& shown, const std::map<std::int64_t, NodeProgress>& nodes);

/// Reads a text of progress_file_text. Absent if it is in another form. Nodes that no run has are left out.
std::optional<RunProgress> parse_progress(std::string_view text);

/// Reads progress.json of a partial run. Absent if there is none, or if it is not in this format: another
/// version may write it.
std::optional<RunProgress> read_progress_file(const std::filesystem::path& partial);

}  // namespace convoy
