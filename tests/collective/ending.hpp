#pragma once

#include <future>
#include <string>

#include "base/error.hpp"
#include "program/communicator.hpp"

/// The error that a collective ended with: its exit code and text.
struct Ending {
    int code = 0;
    std::string text;
};

inline Ending ending(std::future<convoy::CollectiveTimes>& end) {
    try {
        end.get();
    } catch (const convoy::Error& error) {
        return {static_cast<int>(error.code()), error.what()};
    }
    return {};
}
