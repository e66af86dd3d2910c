#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "data/manifest.hpp"

namespace convoy {

/// The progress of one file.
struct FetchProgress {
    std::string file;
    std::uint64_t bytes = 0;             ///< so far, with the bytes of an earlier run
    std::optional<std::uint64_t> total;  ///< absent if the manifest does not have it
};

struct FetchOptions {
    std::function<void(const FetchProgress&)> progress;  ///< called several times a second; may be empty
    Seconds stalled{30};  ///< a mirror that sends nothing for this time is given up
};

enum class FetchOutcome : std::uint8_t { already_there, fetched };

/// Downloads one file of a dataset into `folder`, and creates the folder. Mirrors are tried in turn. Each
/// mirror continues at the place where the mirror before broke off; so does the next run (NAME.part). The
/// file has its name only when it is whole and has the published size and hash. Throws DataError if mirrors
/// sent a different file, MissingFileError if no mirror sent the whole file, OutputError if it cannot be
/// written.
FetchOutcome fetch_file(const ManifestFile& file, const std::filesystem::path& folder,
                        const FetchOptions& options = {});

}  // namespace convoy
