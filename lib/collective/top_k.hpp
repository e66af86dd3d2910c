#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "exchange/element_range.hpp"

namespace convoy {

/// An element of a vector: its index and its value. Its eight bytes travel as they lie in memory.
struct SparseEntry {
    std::uint32_t index = 0;
    float value = 0.0F;
    bool operator==(const SparseEntry&) const = default;
};
static_assert(sizeof(SparseEntry) == 8);

/// Moves the values of greatest magnitude into `taken`, in the order of their indices, and leaves zeros in
/// their places. It takes as many values as `taken` has room for; `taken` must not be larger than `values`.
/// Of equal magnitudes, the first are taken. NaN is greater than infinity, and all NaN are equal. There must
/// be fewer than 2^32 values.
void take_greatest(std::span<float> values, std::span<SparseEntry> taken);

/// The entries of all ranks, one rank's piece behind the other. It refers to the memory of the gathering
/// rank.
struct GatheredPieces {
    std::span<SparseEntry> entries;
    std::uint64_t piece = 0;     ///< number of entries of each piece
    std::uint64_t elements = 0;  ///< number of elements of the whole vector

    /// Checks whole pieces that a peer sent: indices must ascend and be less than `elements`. Throws a
    /// DataError that names the peer, and the rank whose piece it is.
    void check(ElementRange range, std::string_view peer) const;
};

}  // namespace convoy
