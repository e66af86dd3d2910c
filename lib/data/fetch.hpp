#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "data/data_address.hpp"
#include "data/manifest.hpp"

namespace convoy {

/// The progress of one file.
struct FetchProgress {
    std::string file;
    std::uint64_t bytes = 0;             ///< so far, with the bytes of an earlier run
    std::optional<std::uint64_t> total;  ///< absent if neither the manifest nor the server has told it
};

/// How long a fetch waits, and whom it tells of its progress.
struct FetchOptions {
    /// Called about once a second or more often, also while convoy waits. May be empty.
    std::function<void(const FetchProgress&)> progress;
    Seconds stalled{30};  ///< a mirror that sends nothing for this time is given up for this round
    /// Another process fetches the same file: it is given up if it gets no byte further for this time.
    Seconds patience{300};
    /// Waits between two rounds. Empty: the thread sleeps.
    std::function<void(Seconds)> pause;
};

enum class FetchOutcome : std::uint8_t { already_there, fetched };

/// Downloads one file of a dataset into `folder`, and creates the folder. Mirrors are tried in turn. Each
/// mirror continues at the place where the mirror before broke off, unless it has another version of the
/// file; so does the next run (NAME.part). After a round over all mirrors without a further byte, the next
/// round waits, longer each time; the sixth such round in a row is the last. The file has its name only when
/// it is whole and has the published size and hash. If another process fetches the same file, the call waits
/// for it. Throws DataError if mirrors sent a different file, MissingFileError if no mirror sent the whole
/// file, OutputError if it cannot be written.
FetchOutcome fetch_file(const ManifestFile& file, const std::filesystem::path& folder,
                        const FetchOptions& options = {});

/// Downloads a file whose hash is not known, and returns the hash and the size that it has. target: replaced
/// if it is there. Throws as fetch_file.
FileIdentity fetch_unknown(const DataAddress& address, const std::filesystem::path& target,
                           const FetchOptions& options = {});

}  // namespace convoy
