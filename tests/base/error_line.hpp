#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"

namespace convoy {

/// The message of the Expected error that action throws; "" where it throws none. Other errors pass through.
template <typename Expected, typename Action>
std::string error_line(Action&& action) {
    try {
        std::forward<Action>(action)();
    } catch (const Expected& problem) {
        return problem.what();
    }
    return "";
}

}  // namespace convoy
