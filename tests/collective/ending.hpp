#pragma once

#include <functional>
#include <future>
#include <string>

#include "base/error.hpp"
#include "program/communicator.hpp"

/// The error that an exchange ended with: its exit code and text; 0 where it ended well.
struct Ending {
    int code = 0;
    std::string text;
};

inline Ending ending(const std::function<void()>& call) {
    try {
        call();
    } catch (const convoy::Error& error) {
        return {static_cast<int>(error.code()), error.what()};
    }
    return {};
}

inline Ending ending(std::future<convoy::ExchangeTimes>& end) {
    return ending([&] { end.get(); });
}
