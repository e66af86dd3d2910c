#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "data/part_file.hpp"

namespace convoy {

/// How one attempt to get a file went.
enum class TransferState : std::uint8_t {
    complete,   ///< the server said that this was all
    broken,     ///< what came so far is kept
    no_resume,  ///< the server cannot send the rest alone
    too_large,  ///< more came than is accepted
};
struct TransferResult {
    TransferState state = TransferState::broken;
    std::string problem;  ///< why it is not complete
};

struct TransferRequest {
    std::string address;           ///< http or https; redirects are followed within these
    std::uint64_t most_bytes = 0;  ///< of the whole file
    Seconds stalled{30};  ///< gives up after so long without a byte, and when connecting takes so long
    std::function<void(std::uint64_t)>
        progress;  ///< bytes of the file so far, several times a second; may be empty
};

/// Gets the rest of a file behind what part holds, by libcurl. Throws OutputError where it cannot be written.
TransferResult transfer(const TransferRequest& request, PartFile& part);

}  // namespace convoy
