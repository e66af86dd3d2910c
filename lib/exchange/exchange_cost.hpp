#pragma once

#include <cstdint>

#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// How much one rank sends, receives and adds in one exchange. Bytes are those of payloads; each frame has a
/// header beside its payload.
struct ExchangeCost {
    std::uint64_t sent_bytes = 0, received_bytes = 0;
    std::uint64_t sent_frames = 0, received_frames = 0;
    std::uint64_t added_elements = 0;  ///< received elements that are added to this rank's
    bool operator==(const ExchangeCost&) const = default;

    ExchangeCost& operator+=(const ExchangeCost& more);
};

/// The algorithm that a sum over so many ranks takes: `automatic` chooses by the bytes on the wire, as the
/// communicator does. With WireType::top_k the pieces of all ranks are gathered: recursive_doubling stands
/// for doubling steps, ring for going round. exact: exact sums are what travels.
AllReduceAlgorithm resolved_algorithm(const AllReduceOptions& options, bool exact, std::uint64_t elements,
                                      std::int64_t world_size);

/// Bytes of one element on the wire; of top_k of one entry, its place included.
std::uint64_t wire_element_bytes(WireType type, bool exact);

/// The cost of a schedule whose elements take so many bytes on the wire.
ExchangeCost schedule_cost(const Schedule& schedule, std::uint64_t element_bytes);

/// The cost of one sum of so many elements over all ranks of hosts, for this rank: that of the schedule which
/// the communicator runs.
ExchangeCost all_reduce_cost(const AllReduceOptions& options, bool exact, std::uint64_t elements,
                             std::int64_t rank, const HostMap& hosts);

}  // namespace convoy
