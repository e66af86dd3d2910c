#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "data/part_file.hpp"

namespace convoy {

/// The result of one attempt to download a file.
enum class TransferState : std::uint8_t {
    complete,    ///< the server said that the file is complete
    broken,      ///< the transfer broke off, or the server is busy; the received bytes are kept
    refused,     ///< the server has no such file for us, or sends us to a place where convoy does not go
    no_resume,   ///< the server cannot send the rest of this version of the file
    wrong_size,  ///< the file has another size than expected, or no known size and too many bytes
};

/// A version of a file on a server.
struct FileVersion {
    std::string etag;                    ///< a strong entity tag; empty: not known
    std::optional<std::uint64_t> bytes;  ///< of the whole file
};

struct TransferResult {
    TransferState state = TransferState::broken;
    std::string problem;  ///< the reason why it is not complete
};

/// One transfer of a file, or of the part of it that is missing.
struct TransferRequest {
    std::string address;                 ///< http or https; redirects are followed within these
    bool begins_at_part = false;         ///< the address itself asks for the bytes behind the part
    std::optional<std::uint64_t> bytes;  ///< the published size of the file
    Seconds stalled{30};  ///< gives up after this time without a byte, or if connecting takes this long
    /// Receives the bytes of the file so far, several times a second, also while nothing comes. May be empty.
    std::function<void(std::uint64_t)> progress;
    /// Called with the size of the whole file before its bytes are written. May throw.
    std::function<void(std::uint64_t)> announced;
};

/// Downloads the rest of a file, behind the bytes in `part`, with libcurl. version: of which the part is;
/// then the version of which the new bytes are. The rest of another version is not taken (no_resume). Users
/// and passwords of hosts are those of ~/.netrc. Throws OutputError if the part cannot be written.
TransferResult transfer(const TransferRequest& request, FileVersion& version, PartFile& part);

}  // namespace convoy
