#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace convoy {

/// One line for an exception that says that this process may have no more memory or threads: std::bad_alloc,
/// std::length_error, and std::system_error with ENOMEM or EAGAIN. Absent for any other exception. Where this
/// process has a limit of its memory, the line for std::bad_alloc names it as well.
std::optional<std::string> lack_of_memory(const std::exception& error);

/// Calls work(). If that fails for lack of memory, throws a DataError that says what the memory was for.
/// purpose: a function that gives the text, since it costs nothing where there is memory.
template <typename Work, typename Purpose>
decltype(auto) with_memory(const Work& work, const Purpose& purpose) {
    try {
        return work();
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        const auto lack = lack_of_memory(error);
        if (!lack) throw;
        throw DataError(purpose() + ": " + *lack);
    }
}

}  // namespace convoy
