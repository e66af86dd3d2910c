#pragma once

#include <fmt/chrono.h>

#include <ctime>
#include <string>

namespace convoy {

/// The time of now in UTC as ISO 8601 has it: "2026-11-28T06:30:00Z".
inline std::string utc_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace convoy
