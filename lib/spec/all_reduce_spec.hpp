#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace convoy {

/// Which ranks exchange what, and when, in a sum over all ranks.
enum class AllReduceAlgorithm : std::uint8_t {
    automatic,           ///< by the size of the message, see choose_algorithm
    ring,                ///< least bytes, most steps
    halving_doubling,    ///< least bytes, few steps
    recursive_doubling,  ///< fewest steps, most bytes: for small messages
    tree,                ///< a reduction to rank 0, then a broadcast
};

/// As specs and command lines have them.
inline constexpr std::array<std::pair<std::string_view, AllReduceAlgorithm>, 5> all_reduce_algorithm_names{
    {{"auto", AllReduceAlgorithm::automatic},
     {"ring", AllReduceAlgorithm::ring},
     {"halving_doubling", AllReduceAlgorithm::halving_doubling},
     {"recursive_doubling", AllReduceAlgorithm::recursive_doubling},
     {"tree", AllReduceAlgorithm::tree}}};

/// How gradients travel; they are summed as float32 in any case.
enum class WireType : std::uint8_t { float32, float16, bfloat16 };
inline constexpr std::array<std::pair<std::string_view, WireType>, 3> wire_type_names{
    {{"float32", WireType::float32}, {"float16", WireType::float16}, {"bfloat16", WireType::bfloat16}}};

/// How one sum over all ranks is done; the same on all of them.
struct AllReduceOptions {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    std::int64_t segment_bytes = 1 << 18;  ///< what is sent, received and added at a time
    WireType wire_type = WireType::float32;
    std::int64_t connection = 0;  ///< on which of those to each peer
    bool operator==(const AllReduceOptions&) const = default;
};

}  // namespace convoy
