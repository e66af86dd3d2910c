#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "exchange/element_range.hpp"

namespace convoy {

/// An element of a vector beside its place in it; its eight bytes travel as they lie.
struct SparseEntry {
    std::uint32_t index = 0;
    float value = 0.0F;
    bool operator==(const SparseEntry&) const = default;
};
static_assert(sizeof(SparseEntry) == 8);

/// Moves the entries of greatest magnitude out of values, as many as taken has room for (at most all), and
/// leaves zeros in their places. They come in the order of their places. Of equal magnitudes the first go;
/// NaN is greater than infinity, and all NaN are equal. There must be fewer than 2^32 values.
void take_greatest(std::span<float> values, std::span<SparseEntry> taken);

/// What all ranks take, one rank's piece behind the other, in the memory of whoever gathers them.
struct GatheredPieces {
    std::span<SparseEntry> entries;
    std::uint64_t piece = 0;     ///< entries of each
    std::uint64_t elements = 0;  ///< of the vector that they are entries of

    /// Checks whole pieces that a peer sent: indices must ascend and be below elements. Throws DataError that
    /// names the peer, and the rank whose piece it is.
    void check(ElementRange range, std::string_view peer) const;
};

}  // namespace convoy
