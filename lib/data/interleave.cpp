#include "data/interleave.hpp"

#include <algorithm>
#include <numeric>

namespace convoy {
namespace {

/// What is left of a file: [next, end).
struct Rest {
    std::int64_t next = 0;
    std::int64_t end = 0;
};

}  // namespace

std::vector<std::uint32_t> interleaved_order(std::span<const std::int64_t> lengths,
                                             const InterleaveSpec& spec) {
    const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    std::vector<std::uint32_t> order;
    order.reserve(static_cast<std::size_t>(total));
    // Places beyond the number of files would never open one.
    std::vector<std::optional<Rest>> places(
        std::min(static_cast<std::size_t>(spec.cycle_length), lengths.size()));
    std::size_t file = 0;
    std::int64_t first = 0;  // of that file
    for (std::size_t turn = 0; static_cast<std::int64_t>(order.size()) < total;
         turn = (turn + 1) % places.size()) {
        auto& place = places[turn];
        if (!place && file < lengths.size()) {
            place = {first, first + lengths[file]};
            first += lengths[file++];
        }
        if (!place) continue;
        const auto stop = std::min(place->end, place->next + spec.block_length);
        const bool whole = stop - place->next == spec.block_length;
        while (place->next < stop) order.push_back(static_cast<std::uint32_t>(place->next++));
        // A file whose end came with the end of its turn is found empty in the next.
        if (!whole) place.reset();
    }
    return order;
}

}  // namespace convoy
