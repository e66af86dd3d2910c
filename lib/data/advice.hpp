#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"

namespace convoy {

/// Calls load(), which reads a dataset from its files, and returns its result. Adds to the errors of missing
/// and of damaged files what the user can do about them.
template <typename Load>
auto with_advice(const std::string& dataset, const Load& load) {
    try {
        return load();
    } catch (const MissingFileError& error) {
        throw MissingFileError(
            fmt::format("{}; `convoy dataset fetch {}` gets it, or name the folder that holds {}/ "
                        "with --data or CONVOY_DATA",
                        error.what(), dataset, dataset));
    } catch (const DataError& error) {
        throw DataError(
            fmt::format("{}; `convoy dataset verify {}` checks all files", error.what(), dataset));
    }
}

}  // namespace convoy
