#include "strategy/server_slices.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// The least part of a cut bucket: smaller messages cost their latency, not their bytes.
constexpr std::int64_t least_part_bytes = 4096;

using Loads = std::vector<std::int64_t>;  // elements, by server

/// Elements for each server, `elements` together, so that the sums of load and elements are as equal as can
/// be.
Loads levelled(const Loads& loads, std::int64_t elements) {
    std::vector<std::size_t> by_load(loads.size());
    std::iota(by_load.begin(), by_load.end(), std::size_t{0});
    std::ranges::stable_sort(by_load, {}, [&](std::size_t server) { return loads[server]; });
    // The servers with least share the elements, as many servers as stay below the level.
    std::size_t sharing = by_load.size();
    Checked sum = std::accumulate(loads.begin(), loads.end(), Checked(elements));
    while (loads[by_load[sharing - 1]] * static_cast<std::int64_t>(sharing) > sum.value()) {
        --sharing;
        sum = sum - loads[by_load[sharing]];
    }
    const auto level = sum.value() / static_cast<std::int64_t>(sharing);
    Loads parts(loads.size(), 0);
    auto left = elements;
    for (std::size_t i = 0; i < sharing; ++i) {
        const auto server = by_load[i];
        const auto wanted = i + 1 == sharing ? left : level - loads[server];
        constexpr auto unit = static_cast<std::int64_t>(chunk_unit);
        parts[server] = i + 1 == sharing ? left : std::clamp<std::int64_t>(wanted / unit * unit, 0, left);
        left -= parts[server];
    }
    return parts;
}

/// One server's part of a bucket in slices of nearly equal size.
std::vector<ElementRange> slices_of(ElementRange part, std::int64_t slice_bytes) {
    if (part.count == 0) return {};
    const auto bytes = part.count * static_cast<std::uint64_t>(bucket_element_bytes);
    const auto units = (part.count + chunk_unit - 1) / chunk_unit;
    const auto wanted = (bytes - 1) / static_cast<std::uint64_t>(slice_bytes) + 1;
    const auto slices = std::min(wanted, units);
    std::vector<ElementRange> ranges;
    for (std::uint64_t i = 0; i < slices; ++i) ranges.push_back(part_of(part, slices, i));
    return ranges;
}

/// The slices of a bucket, those of different servers in turn. parts: elements by server.
std::vector<ServerSlice> in_turn(const Loads& parts, std::int64_t slice_bytes) {
    std::vector<std::vector<ElementRange>> by_server;
    std::uint64_t first = 0;
    std::size_t most = 0;
    for (const auto part : parts) {
        by_server.push_back(slices_of({first, static_cast<std::uint64_t>(part)}, slice_bytes));
        first += static_cast<std::uint64_t>(part);
        most = std::max(most, by_server.back().size());
    }
    std::vector<ServerSlice> slices;
    for (std::size_t i = 0; i < most; ++i) {
        for (std::size_t server = 0; server < by_server.size(); ++server)
            if (i < by_server[server].size())
                slices.push_back({.server = static_cast<std::int64_t>(server),
                                  .index = slices.size(),
                                  .range = by_server[server][i]});
    }
    return slices;
}

}  // namespace

std::vector<std::vector<ServerSlice>> server_slices(std::span<const Bucket> buckets, std::int64_t servers,
                                                    std::int64_t slice_bytes, TensorCut cut) {
    std::vector<std::size_t> by_size(buckets.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::ranges::stable_sort(by_size, std::ranges::greater{},
                             [&](std::size_t i) { return buckets[i].elements; });
    const auto stays_whole = [&](std::size_t i) {
        return cut == TensorCut::nowhere || servers == 1 ||
               buckets[i].elements < servers * least_part_bytes / bucket_element_bytes;
    };
    Loads loads(static_cast<std::size_t>(servers), 0);
    std::vector<std::vector<ServerSlice>> slices(buckets.size());
    const auto give = [&](std::size_t bucket, const Loads& parts) {
        for (std::size_t server = 0; server < parts.size(); ++server) loads[server] += parts[server];
        slices[bucket] = in_turn(
            parts, cut == TensorCut::nowhere ? std::numeric_limits<std::int64_t>::max() : slice_bytes);
    };
    for (const auto i : by_size) {
        if (!stays_whole(i)) continue;
        Loads parts(loads.size(), 0);
        parts[static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin())] =
            buckets[i].elements;
        give(i, parts);
    }
    std::ranges::reverse(by_size);  // the largest levels what the others left uneven
    for (const auto i : by_size)
        if (!stays_whole(i)) give(i, levelled(loads, buckets[i].elements));
    return slices;
}

SliceContent::SliceContent(const Program& program) {
    std::map<TensorId, Place> by_gradient;
    for (const auto& bucket : program.buckets) {
        for (std::size_t i = 0; i < bucket.tensors.size(); ++i) {
            const auto elements = program.tensor(bucket.tensors[i]).shape.elements();
            by_gradient[bucket.tensors[i]] = {static_cast<std::uint64_t>(bucket.offsets[i]),
                                              static_cast<std::uint64_t>(elements)};
        }
    }
    for (const auto& parameter : program.parameters) {
        const auto found = by_gradient.find(parameter.gradient);
        if (parameter.trained && found != by_gradient.end())
            places_[program.tensor(parameter.value).name] = found->second;
    }
}

ElementRange SliceContent::elements_of(const std::string& name, const ElementRange& range) const {
    const auto& place = places_.at(name);
    const auto begin = std::max(place.first, range.first);
    const auto end = std::min(place.first + place.elements, range.first + range.count);
    return begin < end ? ElementRange{begin - place.first, end - begin} : ElementRange{};
}

std::vector<Operator> SliceContent::operators_of(const ElementRange& range,
                                                 std::span<const Operator> operators) const {
    std::vector<Operator> result;
    for (auto op : operators) {
        const auto elements = elements_of(op.name, range);
        if (elements.count == 0) continue;
        if (elements.count < places_.at(op.name).elements) op.range = elements;
        result.push_back(std::move(op));
    }
    return result;
}

}  // namespace convoy
