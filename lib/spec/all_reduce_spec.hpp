#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// The algorithm of a sum over all ranks.
enum class AllReduceAlgorithm : std::uint8_t {
    automatic,           ///< chosen by the size of the message, see choose_algorithm
    ring,                ///< least bytes, most steps
    halving_doubling,    ///< least bytes, few steps
    recursive_doubling,  ///< fewest steps, most bytes: for small messages
    tree,                ///< a reduction to rank 0, then a broadcast
    pairwise,            ///< least bytes, each rank with each other rank
    hierarchical,        ///< within each host first, then a ring of hosts
    mpi,                 ///< none of convoy's: MPI_Allreduce of the MPI that started the nodes
};

/// The names of convoy's own algorithms, in specs and command lines.
inline constexpr std::array<std::pair<std::string_view, AllReduceAlgorithm>, 7> all_reduce_algorithm_names{
    {{"auto", AllReduceAlgorithm::automatic},
     {"ring", AllReduceAlgorithm::ring},
     {"halving_doubling", AllReduceAlgorithm::halving_doubling},
     {"recursive_doubling", AllReduceAlgorithm::recursive_doubling},
     {"tree", AllReduceAlgorithm::tree},
     {"pairwise", AllReduceAlgorithm::pairwise},
     {"hierarchical", AllReduceAlgorithm::hierarchical}}};

/// The names of all algorithms that sum the gradients of a run: convoy's own, and that of another library.
inline constexpr auto gradient_algorithm_names = [] {
    std::array<std::pair<std::string_view, AllReduceAlgorithm>, all_reduce_algorithm_names.size() + 1> all{};
    std::ranges::copy(all_reduce_algorithm_names, all.begin());
    all.back() = {"mpi", AllReduceAlgorithm::mpi};
    return all;
}();

/// The fastest algorithm for sums up to a size.
struct AlgorithmRange {
    std::int64_t up_to_bytes = 0;  ///< as they travel
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    bool operator==(const AlgorithmRange&) const = default;
};

/// The measurements of `convoy bench allreduce --calibrate` on the machines of a run. `automatic` uses them.
struct AllReduceCalibration {
    std::int64_t nodes = 1;              ///< number of measured nodes; it holds for this number only
    std::vector<AlgorithmRange> ranges;  ///< ascending
    AllReduceAlgorithm beyond = AllReduceAlgorithm::automatic;  ///< for larger sums
    bool operator==(const AllReduceCalibration&) const = default;
};

/// The largest number of nodes for pairwise exchange, which connects each node with each other node.
inline constexpr std::int64_t pairwise_max_nodes = 32;

/// The type on the wire of gradients. They are summed as float32 for every type.
enum class WireType : std::uint8_t {
    float32,
    float16,
    bfloat16,
    top_k,  ///< the greatest as float32 with their indices; each rank keeps the others for the next step
};
inline constexpr std::array<std::pair<std::string_view, WireType>, 4> wire_type_names{
    {{"float32", WireType::float32},
     {"float16", WireType::float16},
     {"bfloat16", WireType::bfloat16},
     {"top_k", WireType::top_k}}};

/// The part of a bucket that travels with WireType::top_k.
struct TopKSpec {
    double fraction = 0.01;  ///< share of its elements, in (0, 1]
    /// The number of entries that travel for this many elements: the nearest integer, at least one.
    [[nodiscard]] std::uint64_t count_of(std::uint64_t elements) const {
        const auto nearest =
            static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(elements)));
        return std::clamp<std::uint64_t>(nearest, std::min<std::uint64_t>(1, elements), elements);
    }
    bool operator==(const TopKSpec&) const = default;
};

/// The options of a sum over all ranks. They are the same on all ranks.
struct AllReduceOptions {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    std::int64_t segment_bytes = 1 << 18;  ///< what is sent, received and added at a time
    WireType wire_type = WireType::float32;
    TopKSpec top_k = {};
    std::int64_t connection = 0;  ///< number of the connection to each peer, counted from 0
    bool operator==(const AllReduceOptions&) const = default;
};

}  // namespace convoy
