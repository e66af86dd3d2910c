#include "collective/top_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/error.hpp"

static_assert(std::endian::native == std::endian::little, "entries travel as they lie in memory");

namespace convoy {
namespace {

/// Orders floats by magnitude: their bits without the sign do, and one number stands for all NaN.
std::uint32_t magnitude(float value) {
    constexpr std::uint32_t all_but_sign = 0x7FFFFFFF, first_nan = 0x7F800001;
    return std::min(std::bit_cast<std::uint32_t>(value) & all_but_sign, first_nan);
}

/// Magnitudes fall into bins of an eighth of a power of two.
constexpr std::uint32_t bin_shift = 20;
constexpr std::size_t bins = std::size_t{1} << (31 - bin_shift);

/// The lowest bin that some of the count greatest values are in.
std::uint32_t lowest_bin(std::span<const float> values, std::size_t count) {
    std::array<std::uint32_t, bins> sizes{};
    for (const auto value : values) ++sizes[magnitude(value) >> bin_shift];
    auto bin = static_cast<std::uint32_t>(bins - 1);
    for (std::size_t seen = sizes[bin]; seen < count; seen += sizes[bin]) --bin;
    return bin;
}

}  // namespace

void take_greatest(std::span<float> values, std::span<SparseEntry> taken) {
    const auto count = taken.size();
    if (values.size() > UINT32_MAX) throw InternalError("a vector whose places do not fit 32 bits");
    if (count > values.size()) throw InternalError(fmt::format("{} of {} values", count, values.size()));
    // Few candidates are left to be compared with each other, as few share the lowest bin.
    const auto lowest = lowest_bin(values, count);
    std::vector<SparseEntry> candidates;
    candidates.reserve(2 * count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (magnitude(values[i]) >> bin_shift >= lowest)
            candidates.push_back({static_cast<std::uint32_t>(i), values[i]});
    }
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(candidates.begin(), end, candidates.end(), [](const auto& a, const auto& b) {
        const auto left = magnitude(a.value), right = magnitude(b.value);
        return left != right ? left > right : a.index < b.index;
    });
    std::sort(candidates.begin(), end, [](const auto& a, const auto& b) { return a.index < b.index; });
    std::copy(candidates.begin(), end, taken.begin());
    for (const auto& entry : taken) values[entry.index] = 0.0F;
}

void GatheredPieces::check(ElementRange range, std::string_view peer) const {
    for (auto i = range.first; i < range.first + range.count; ++i) {
        const auto index = entries[i].index;
        const bool follows = i % piece == 0 || index > entries[i - 1].index;
        if (follows && index < elements) continue;
        throw DataError(
            fmt::format("{}: sent place {} as entry {} of node {}'s gradients, expected places that ascend "
                        "and are below {}",
                        peer, index, i % piece, i / piece, elements));
    }
}

}  // namespace convoy
