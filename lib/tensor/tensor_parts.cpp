#include "tensor/tensor_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::string_view part_key = "part of ";

std::string part_text(const PartPlace& part) {
    return json_text(
        {{"whole", part.whole.extents()}, {"axis", part.slice.axis}, {"first", part.slice.first}});
}

/// Reads the metadata of one part, and holds them against the tensor that the file has.
class PartReader {
  public:
    PartReader(const NamedTensor& tensor, const std::string& source) : tensor_(tensor), source_(source) {}

    /// The part without its values.
    [[nodiscard]] TensorPart read(const std::string& text) const {
        const auto place = parse_json(text, fmt::format("{}: part of {}", source_, describe(tensor_.name)));
        const bool complete = place.is_object() && place.size() == 3 && place.contains("whole") &&
                              place.contains("axis") && place.contains("first");
        if (!complete) fail("expected an object with whole, axis and first, and nothing else");
        const auto& extents = place["whole"];
        if (!extents.is_array() || extents.size() != tensor_.shape.rank() || extents.empty())
            fail("expected as many extents of the whole as the tensor has");
        std::vector<std::int64_t> whole;
        for (const auto& extent : extents) whole.push_back(count(extent));
        const auto axis = static_cast<std::size_t>(count(place["axis"]));
        if (axis >= whole.size()) fail(fmt::format("found axis {} of {}", axis, whole.size()));
        TensorPart part{.name = tensor_.name,
                        .whole = Shape(std::move(whole)),
                        .slice = {.axis = axis, .first = count(place["first"]), .count = tensor_.shape[axis]},
                        .values = {}};
        check_size(part.whole);
        if (!fits(part.slice, part.whole) || slice_shape(part.slice, part.whole) != tensor_.shape) {
            fail(fmt::format("{} from {} on along axis {} is no part of {}", tensor_.shape.text(),
                             part.slice.first, axis, part.whole.text()));
        }
        return part;
    }

  private:
    [[noreturn]] void fail(const std::string& problem) const {
        throw DataError(fmt::format("{}: part of {}: {}", source_, describe(tensor_.name), problem));
    }
    [[nodiscard]] std::int64_t count(const nlohmann::json& value) const {
        const auto found = count_or_none(value);
        if (!found || *found > most_whole_elements)
            fail(fmt::format("expected integers from 0 to {}", most_whole_elements));
        return *found;
    }
    void check_size(const Shape& whole) const {
        std::int64_t elements = 1;
        for (const auto extent : whole) {
            if (extent > 0 && elements > most_whole_elements / extent)
                fail(fmt::format("expected a whole of at most {} elements", most_whole_elements));
            elements *= extent;
        }
    }

    const NamedTensor& tensor_;
    const std::string& source_;
};

}  // namespace

TensorPart whole_part(NamedTensor tensor) {
    const auto slice = whole_slice(tensor.shape);
    return {.name = std::move(tensor.name),
            .whole = std::move(tensor.shape),
            .slice = slice,
            .values = std::move(tensor.values)};
}

std::vector<std::byte> encode_parts(std::span<const TensorPart> parts,
                                    std::map<std::string, std::string> metadata) {
    std::vector<PartPlace> places;
    places.reserve(parts.size());
    for (const auto& part : parts) places.push_back({part.name, part.whole, part.slice});
    const auto put = [&](std::size_t position, std::span<std::byte> room) {
        put_floats(parts[position].values, room);
    };
    return encode_parts(places, put, std::move(metadata));
}

std::vector<std::byte> encode_parts(std::span<const PartPlace> parts, const PutValues& put,
                                    std::map<std::string, std::string> metadata) {
    std::vector<NamedShape> tensors;
    tensors.reserve(parts.size());
    for (const auto& part : parts) {
        tensors.push_back({part.name, slice_shape(part.slice, part.whole)});
        if (!is_whole(part.slice, part.whole))
            metadata[fmt::format("{}{}", part_key, part.name)] = part_text(part);
    }
    return encode_safetensors(tensors, put, metadata);
}

std::vector<TensorPart> decode_parts(std::span<const std::byte> bytes, const std::string& source) {
    auto file = read_safetensors(bytes, source);
    std::vector<TensorPart> parts;
    parts.reserve(file.tensors.size());
    for (auto& tensor : file.tensors) {
        const auto described = file.metadata.find(fmt::format("{}{}", part_key, tensor.name));
        if (described == file.metadata.end()) {
            parts.push_back(whole_part(std::move(tensor)));
            continue;
        }
        auto part = PartReader(tensor, source).read(described->second);
        part.values = std::move(tensor.values);
        parts.push_back(std::move(part));
    }
    return parts;
}

void append_parts(std::vector<TensorPart>& parts, const std::vector<std::byte>& file,
                  const std::string& source) {
    std::ranges::move(decode_parts(file, source), std::back_inserter(parts));
}

NamedTensor join_parts(std::span<const TensorPart> parts, SharedPlaces shared, const std::string& source) {
    const auto& first = parts.front();
    const auto fail = [&](const char* problem) {
        throw DataError(fmt::format("{}: {} {}", source, describe(first.name), problem));
    };
    const auto elements = static_cast<std::size_t>(first.whole.elements());
    std::size_t given = 0;
    for (const auto& part : parts) {
        if (part.whole != first.whole) fail("has several shapes");
        given += part.values.size();
    }
    if (given < elements) fail("lacks a part");
    std::vector<double> sums(elements);
    std::vector<std::uint32_t> holders(elements, 0);
    for (const auto& part : parts) {
        for (const auto& run : slice_runs(part.slice, part.whole)) {
            for (std::size_t i = 0; i < run.elements; ++i) {
                const double value = part.values.at(run.in_slice + i);
                auto& sum = sums[run.in_whole + i];
                sum = holders[run.in_whole + i]++ == 0 ? value : sum + value;
            }
        }
    }
    if (std::ranges::find(holders, 0U) != holders.end()) fail("lacks a part");
    const auto twice = [](std::uint32_t count) { return count > 1; };
    if (shared == SharedPlaces::refused && std::ranges::any_of(holders, twice)) fail("has a part twice");
    NamedTensor joined{first.name, first.whole, std::vector<float>(elements)};
    for (std::size_t i = 0; i < elements; ++i) {
        const double divisor = shared == SharedPlaces::mean ? holders[i] : 1.0;
        joined.values[i] = static_cast<float>(sums[i] / divisor);
    }
    return joined;
}

std::vector<NamedTensor> join_all_parts(
    std::vector<TensorPart> parts, const std::string& source,
    const std::function<SharedPlaces(const std::string& name)>& shared_of) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<TensorPart>> by_name;
    for (auto& part : parts) {
        auto& same = by_name[part.name];
        if (same.empty()) names.push_back(part.name);
        same.push_back(std::move(part));
    }
    std::vector<NamedTensor> joined;
    joined.reserve(names.size());
    for (const auto& name : names) {
        auto same = by_name.extract(name);
        auto& only = same.mapped().front();
        if (same.mapped().size() == 1 && is_whole(only.slice, only.whole)) {
            joined.push_back({only.name, only.whole, std::move(only.values)});
        } else {
            joined.push_back(join_parts(same.mapped(), shared_of(name), source));
        }
    }
    return joined;
}

}  // namespace convoy
