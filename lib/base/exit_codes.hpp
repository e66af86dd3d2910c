#pragma once

#include <array>
#include <string_view>

#include "base/error.hpp"

namespace convoy {

/// An exit code with a name for programs and a line for people.
struct ExitCodeRow {
    ExitCode code;
    std::string_view kind;
    std::string_view meaning;
};

/// All exit codes, in ascending order.
inline constexpr std::array<ExitCodeRow, 11> exit_codes{{
    {ExitCode::done, "done", "done"},
    {ExitCode::usage, "usage", "bad command line, or an output folder that exists"},
    {ExitCode::data, "data",
     "bad spec, corrupt data, a run that needs more memory than there is, or training that diverged"},
    {ExitCode::missing, "missing", "a file that does not exist"},
    {ExitCode::unavailable, "unavailable", "the cluster could not form"},
    {ExitCode::bug, "bug", "a bug of convoy"},
    {ExitCode::cannot_write, "cannot_write", "results could not be written"},
    {ExitCode::node_lost, "node_lost", "a node was lost: killed, disconnected, or silent"},
    {ExitCode::deadline, "deadline", "a node did not answer or get ready in time"},
    {ExitCode::disagreement, "disagreement", "nodes disagree on spec, version, commit, build or shapes"},
    {ExitCode::interrupted, "interrupted", "interrupted; the finished part is kept, if any"},
}};

/// The name of an exit code: "data".
constexpr std::string_view kind_of(ExitCode code) {
    for (const auto& row : exit_codes) {
        if (row.code == code) return row.kind;
    }
    return "bug";
}

}  // namespace convoy
