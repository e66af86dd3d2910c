#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cluster/launcher.hpp"

namespace convoy {

/// What a node does, in a few words: "reads FILE", "trains epoch 2".
std::string phase_text(const NodeProgress& progress);

/// The progress of a node as one line. width: the characters that a terminal has for it; the line begins with
/// a bar, and parts that tell least are left out until it fits. Absent: all parts without a bar, for a log.
/// left: the time that the run still takes, as text; empty if it is not known.
std::string progress_text(const NodeProgress& progress, const std::string& left = {},
                          std::optional<std::size_t> width = {});

}  // namespace convoy
