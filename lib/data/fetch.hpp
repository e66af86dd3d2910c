#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "data/manifest.hpp"

namespace convoy {

/// How far one file of a fetch is.
struct FetchProgress {
    std::string file;
    std::uint64_t bytes = 0;             ///< so far, what an earlier run left included
    std::optional<std::uint64_t> total;  ///< where the manifest knows it
};

struct FetchOptions {
    std::function<void(const FetchProgress&)> progress;  ///< several times a second; may be empty
    Seconds stalled{30};  ///< a mirror that sends nothing for so long is given up
};

enum class FetchOutcome : std::uint8_t { already_there, fetched };

/// Gets one file of a dataset into folder, which is created. Mirrors are tried in turn, each going on where
/// the one before broke off, and so does the next run (NAME.part). The file appears under its name only when
/// it is whole and has the published size and hash. Throws DataError where mirrors sent something else,
/// MissingFileError where none could be reached to the end, OutputError where it cannot be written.
FetchOutcome fetch_file(const ManifestFile& file, const std::filesystem::path& folder,
                        const FetchOptions& options = {});

}  // namespace convoy
