#pragma once

#include <cstdint>

#include "exchange/exchange.hpp"
#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The amount that one rank sends, receives and adds in one exchange. Bytes count payloads only; each frame
/// also has a header.
struct ExchangeCost {
    std::uint64_t sent_bytes = 0, received_bytes = 0;
    std::uint64_t sent_frames = 0, received_frames = 0;
    std::uint64_t added_elements = 0;  ///< received elements that this rank adds to its own
    bool known = true;                 ///< false: another library decides what this rank sends and adds
    bool operator==(const ExchangeCost&) const = default;

    /// Throws SizeError if a sum does not fit 64 bits.
    ExchangeCost& operator+=(const ExchangeCost& more);
};

/// The cost of a schedule. element_bytes: bytes of one element on the wire. Throws SizeError as above.
ExchangeCost schedule_cost(const Schedule& schedule, std::uint64_t element_bytes);

/// The algorithm of a sum over world_size ranks. `automatic` is resolved by the bytes on the wire, as in the
/// communicator. With WireType::top_k the pieces of all ranks are gathered; then recursive_doubling means
/// doubling_gather_turns, and ring means ring_gather_turns. exact: exact sums (64-bit integers) travel.
AllReduceAlgorithm resolved_algorithm(const AllReduceOptions& options, bool exact, std::uint64_t elements,
                                      std::int64_t world_size);

/// Bytes of one element on the wire. For top_k: bytes of one entry, value and index. exact: see
/// resolved_algorithm.
std::uint64_t wire_element_bytes(WireType type, bool exact);

/// The cost for this rank of one exchange with a buffer of `elements` elements. It is the cost of the
/// schedule that the communicator runs; it is not known if another library carries the exchange out. Throws
/// as exchange_schedule, and SizeError if a number does not fit 64 bits.
ExchangeCost exchange_cost(const Exchange& exchange, bool exact, std::uint64_t elements, std::int64_t rank,
                           const HostMap& hosts);

}  // namespace convoy
