#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy {

/// Contiguous elements of a buffer.
struct ElementRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool operator==(const ElementRange&) const = default;
};

/// Chunks begin at multiples of this many elements, so every addition loop begins at aligned memory.
inline constexpr std::uint64_t chunk_unit = 16;

/// Cuts `whole` into `parts` parts of nearly equal size and returns the part with this index. Cuts are at
/// multiples of chunk_unit from the start of `whole`. The last parts may be empty.
constexpr ElementRange part_of(ElementRange whole, std::uint64_t parts, std::uint64_t index) {
    const auto units = (whole.count + chunk_unit - 1) / chunk_unit;
    const auto start = [&](std::uint64_t i) {
        return std::min((units / parts * i + std::min(units % parts, i)) * chunk_unit, whole.count);
    };
    return {whole.first + start(index), start(index + 1) - start(index)};
}

/// Whether two ranges share an element.
constexpr bool overlap(ElementRange a, ElementRange b) {
    return a.count > 0 && b.count > 0 && a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace convoy
