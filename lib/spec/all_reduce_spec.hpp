#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// Which ranks exchange what, and when, in a sum over all ranks.
enum class AllReduceAlgorithm : std::uint8_t {
    automatic,           ///< by the size of the message, see choose_algorithm
    ring,                ///< least bytes, most steps
    halving_doubling,    ///< least bytes, few steps
    recursive_doubling,  ///< fewest steps, most bytes: for small messages
    tree,                ///< a reduction to rank 0, then a broadcast
    pairwise,            ///< least bytes, everyone with everyone
    hierarchical,        ///< within each host first, then a ring of hosts
};

/// As specs and command lines have them.
inline constexpr std::array<std::pair<std::string_view, AllReduceAlgorithm>, 7> all_reduce_algorithm_names{
    {{"auto", AllReduceAlgorithm::automatic},
     {"ring", AllReduceAlgorithm::ring},
     {"halving_doubling", AllReduceAlgorithm::halving_doubling},
     {"recursive_doubling", AllReduceAlgorithm::recursive_doubling},
     {"tree", AllReduceAlgorithm::tree},
     {"pairwise", AllReduceAlgorithm::pairwise},
     {"hierarchical", AllReduceAlgorithm::hierarchical}}};

/// What is fastest for sums up to a size.
struct AlgorithmRange {
    std::int64_t up_to_bytes = 0;  ///< as they travel
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    bool operator==(const AlgorithmRange&) const = default;
};

/// What `convoy bench allreduce --calibrate` measured on the machines of a run, for `automatic` to go by.
struct AllReduceCalibration {
    std::int64_t nodes = 1;              ///< between which it was measured, and for which alone it holds
    std::vector<AlgorithmRange> ranges;  ///< ascending
    AllReduceAlgorithm beyond = AllReduceAlgorithm::automatic;  ///< for what is larger
    bool operator==(const AllReduceCalibration&) const = default;

    [[nodiscard]] AllReduceAlgorithm algorithm_for(std::int64_t bytes) const {
        for (const auto& range : ranges) {
            if (bytes <= range.up_to_bytes) return range.algorithm;
        }
        return beyond;
    }
};

/// Pairwise exchange connects everyone with everyone.
inline constexpr std::int64_t pairwise_max_nodes = 32;

/// How gradients travel; they are summed as float32 in any case.
enum class WireType : std::uint8_t {
    float32,
    float16,
    bfloat16,
    top_k,  ///< the greatest as float32 beside their places; each rank keeps the others for the next step
};
inline constexpr std::array<std::pair<std::string_view, WireType>, 4> wire_type_names{
    {{"float32", WireType::float32},
     {"float16", WireType::float16},
     {"bfloat16", WireType::bfloat16},
     {"top_k", WireType::top_k}}};

/// How much of a bucket travels with WireType::top_k.
struct TopKSpec {
    double fraction = 0.01;  ///< of its elements, in (0, 1]
    /// Of so many elements: the nearest number, and at least one.
    [[nodiscard]] std::uint64_t count_of(std::uint64_t elements) const {
        const auto nearest = static_cast<std::uint64_t>(fraction * static_cast<double>(elements) + 0.5);
        return std::clamp<std::uint64_t>(nearest, std::min<std::uint64_t>(1, elements), elements);
    }
    bool operator==(const TopKSpec&) const = default;
};

/// How one sum over all ranks is done; the same on all of them.
struct AllReduceOptions {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    std::int64_t segment_bytes = 1 << 18;  ///< what is sent, received and added at a time
    WireType wire_type = WireType::float32;
    TopKSpec top_k = {};
    std::int64_t connection = 0;  ///< on which of those to each peer
    bool operator==(const AllReduceOptions&) const = default;
};

}  // namespace convoy
