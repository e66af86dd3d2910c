#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "data/part_file.hpp"

namespace convoy {

/// The result of one attempt to download a file.
enum class TransferState : std::uint8_t {
    complete,   ///< the server said that the file is complete
    broken,     ///< the transfer broke off; the received bytes are kept
    no_resume,  ///< the server cannot send only the rest of a file
    too_large,  ///< the server sent more bytes than accepted
};
struct TransferResult {
    TransferState state = TransferState::broken;
    std::string problem;  ///< the reason why it is not complete
};

struct TransferRequest {
    std::string address;           ///< http or https; redirects are followed within these
    std::uint64_t most_bytes = 0;  ///< largest accepted size of the whole file
    Seconds stalled{30};  ///< gives up after this time without a byte, or if connecting takes this long
    /// Receives the bytes of the file so far, several times a second. May be empty.
    std::function<void(std::uint64_t)> progress;
};

/// Downloads the rest of a file, behind the bytes in `part`, with libcurl. Throws OutputError if it cannot be
/// written.
TransferResult transfer(const TransferRequest& request, PartFile& part);

}  // namespace convoy
