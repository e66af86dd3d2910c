#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

/// How far a run has come: its results are whole, or a part of them is missing, or is still to come.
enum class RunStatus : std::uint8_t { done, interrupted, running };

/// Its word in files and texts.
constexpr std::string_view run_status_name(RunStatus status) {
    switch (status) {
        case RunStatus::done: return "done";
        case RunStatus::interrupted: return "interrupted";
        case RunStatus::running: break;
    }
    return "running";
}

}  // namespace convoy
