#include "tensor/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "base/json_text.hpp"

static_assert(std::endian::native == std::endian::little, "safetensors data is copied as it lies in memory");

namespace convoy {
namespace {

using nlohmann::json;

/// One tensor as the header describes it, every figure checked against the others but the neighbours.
struct Entry {
    std::string name;
    Shape shape;
    std::size_t element_bytes = 0;
    std::uint64_t begin = 0, end = 0;  // within the data
};

/// Reads one file's parts and names it in errors.
class Reader {
  public:
    Reader(std::span<const std::byte> bytes, const std::string& source) : bytes_(bytes), source_(source) {}

    SafetensorsFile read() {
        const auto header_bytes = read_header_length();
        const auto header = read_header(header_bytes);
        data_ = bytes_.subspan(safetensors::length_bytes + header_bytes);
        SafetensorsFile file;
        std::vector<Entry> entries;
        for (const auto& [name, fields] : header.items()) {
            if (name == safetensors::metadata_key) {
                check_metadata(fields);
                file.metadata = fields.get<std::map<std::string, std::string>>();
            } else {
                entries.push_back(read_entry(name, fields));
            }
        }
        std::ranges::sort(entries, {},
                          [](const Entry& entry) { return std::tie(entry.begin, entry.end, entry.name); });
        check_cover(entries);
        file.tensors.reserve(entries.size());
        for (const auto& entry : entries) file.tensors.push_back(read_values(entry));
        return file;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(fmt::format("{}: not a whole safetensors file: {}", source_, what));
    }
    [[noreturn]] void fail(const std::string& name, const std::string& what) const {
        fail(fmt::format("tensor {}: {}", describe(name), what));
    }

    [[nodiscard]] std::size_t read_header_length() const {
        if (bytes_.size() < safetensors::length_bytes)
            fail(fmt::format("{} bytes, at least 8 expected", bytes_.size()));
        std::uint64_t length = 0;
        std::memcpy(&length, bytes_.data(), sizeof length);
        const auto most = std::min<std::uint64_t>(safetensors::most_header_bytes,
                                                  bytes_.size() - safetensors::length_bytes);
        if (length > most)
            fail(fmt::format("found a header length of {}, expected at most {}", length, most));
        return static_cast<std::size_t>(length);
    }

    [[nodiscard]] json read_header(std::size_t length) const {
        const auto part = bytes_.subspan(safetensors::length_bytes, length);
        const std::string_view text(reinterpret_cast<const char*>(part.data()), part.size());
        if (!text.starts_with('{')) fail("the header does not begin with '{'");
        return parse_json(text, source_);
    }

    void check_metadata(const json& metadata) const {
        const bool good = metadata.is_object() &&
                          std::ranges::all_of(metadata, [](const json& value) { return value.is_string(); });
        if (!good) fail(fmt::format("{} is not a map of strings to strings", safetensors::metadata_key));
    }

    [[nodiscard]] Entry read_entry(const std::string& name, const json& fields) const {
        if (name.empty() || name.size() > safetensors::longest_name) {
            fail(name, fmt::format("expected a name of 1 to {} bytes", safetensors::longest_name));
        }
        const bool complete = fields.is_object() && fields.size() == 3 && fields.contains("dtype") &&
                              fields.contains("shape") && fields.contains("data_offsets");
        if (!complete) fail(name, "expected an object with dtype, shape and data_offsets, and nothing else");
        Entry entry{.name = name, .shape = {}, .element_bytes = element_bytes(name, fields["dtype"])};
        entry.shape = read_shape(entry, fields["shape"]);
        const auto offsets = read_integers(name, "data_offsets", fields["data_offsets"]);
        if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_.size()) {
            fail(name, fmt::format("data_offsets do not lie within {} bytes of data", data_.size()));
        }
        entry.begin = offsets[0];
        entry.end = offsets[1];
        const auto needed = static_cast<std::uint64_t>(entry.shape.elements()) * entry.element_bytes;
        if (entry.end - entry.begin != needed) {
            fail(name, fmt::format("data_offsets span {} bytes, shape and dtype need {}",
                                   entry.end - entry.begin, needed));
        }
        return entry;
    }

    [[nodiscard]] std::size_t element_bytes(const std::string& name, const json& dtype) const {
        if (dtype == "F32") return sizeof(float);
        if (dtype == "F64") return sizeof(double);
        fail(name, fmt::format("found dtype {}, expected \"F32\" or \"F64\"", describe(dtype)));
    }

    /// A shape whose size in bytes is at most that of the data; one that holds a 0 has bounded extents all
    /// the same, so that no product of them overflows.
    [[nodiscard]] Shape read_shape(const Entry& entry, const json& found) const {
        const auto extents = read_integers(entry.name, "shape", found);
        if (extents.size() > safetensors::most_axes) {
            fail(entry.name,
                 fmt::format("found {} axes, expected at most {}", extents.size(), safetensors::most_axes));
        }
        const bool empty = std::ranges::find(extents, 0U) != extents.end();
        const std::uint64_t most =
            empty ? safetensors::most_elements_beside_0 : data_.size() / entry.element_bytes;
        std::uint64_t elements = 1;
        for (const auto extent : extents) {
            if (extent > most / elements) {
                fail(entry.name, fmt::format("its shape needs more than the {} bytes of data", data_.size()));
            }
            elements *= std::max<std::uint64_t>(extent, 1);
        }
        return Shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
    }

    [[nodiscard]] std::vector<std::uint64_t> read_integers(const std::string& name, std::string_view field,
                                                           const json& found) const {
        const bool good =
            found.is_array() && found.size() <= 2 * safetensors::most_axes &&
            std::ranges::all_of(found, [](const json& value) { return value.is_number_unsigned(); });
        if (!good) fail(name, fmt::format("{} is not a short list of integers from 0", field));
        return found.get<std::vector<std::uint64_t>>();
    }

    /// Tensors in order of their data lie side by side and fill it.
    void check_cover(const std::vector<Entry>& entries) const {
        std::uint64_t covered = 0;
        for (const auto& entry : entries) {
            if (entry.begin != covered) {
                fail(entry.name, fmt::format("its data begins at {}, expected {}", entry.begin, covered));
            }
            covered = entry.end;
        }
        if (covered != data_.size()) {
            fail(fmt::format("{} bytes of data, of which the tensors cover {}", data_.size(), covered));
        }
    }

    [[nodiscard]] NamedTensor read_values(const Entry& entry) const {
        const auto part = data_.subspan(entry.begin, entry.end - entry.begin);
        NamedTensor tensor{.name = entry.name, .shape = entry.shape, .values = {}};
        tensor.values.resize(part.size() / entry.element_bytes);
        if (part.empty()) return tensor;
        if (entry.element_bytes == sizeof(float)) {
            std::memcpy(tensor.values.data(), part.data(), part.size());
            return tensor;
        }
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            double wide = 0.0;
            std::memcpy(&wide, part.data() + i * sizeof wide, sizeof wide);
            if (std::isfinite(wide) && std::abs(wide) > std::numeric_limits<float>::max()) {
                fail(entry.name, fmt::format("value {} does not fit 32 bits", wide));
            }
            tensor.values[i] = static_cast<float>(wide);
        }
        return tensor;
    }

    std::span<const std::byte> bytes_;
    std::span<const std::byte> data_;
    const std::string& source_;
};

std::size_t bytes_of(const NamedShape& tensor) {
    return static_cast<std::size_t>(tensor.shape.elements()) * sizeof(float);
}

/// The header of tensors that lie back to back, padded.
std::string header_of(std::span<const NamedShape> tensors,
                      const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty()) header[safetensors::metadata_key] = metadata;
    std::uint64_t offset = 0;
    for (const auto& tensor : tensors) {
        if (tensor.name.empty() || tensor.name == safetensors::metadata_key || header.contains(tensor.name)) {
            throw InternalError(fmt::format("two tensors of one name, or a bad name: \"{}\"", tensor.name));
        }
        const auto end = offset + bytes_of(tensor);
        header[tensor.name] = {
            {"dtype", "F32"}, {"shape", tensor.shape.extents()}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    auto text = json_text(header);
    const auto rest = text.size() % safetensors::alignment_bytes;
    if (rest != 0) text.append(safetensors::alignment_bytes - rest, ' ');
    return text;
}

/// Copies part to the front of room and returns what is left of it.
std::span<std::byte> put_front(std::span<std::byte> room, std::span<const std::byte> part) {
    std::ranges::copy(part, room.begin());
    return room.subspan(part.size());
}

}  // namespace

void put_floats(std::span<const float> values, std::span<std::byte> room) {
    if (values.size_bytes() != room.size())
        throw InternalError(fmt::format("{} values of a tensor for {} bytes", values.size(), room.size()));
    put_front(room, std::as_bytes(values));
}

std::vector<std::byte> encode_safetensors(std::span<const NamedTensor> tensors,
                                          const std::map<std::string, std::string>& metadata) {
    std::vector<NamedShape> shapes;
    shapes.reserve(tensors.size());
    for (const auto& tensor : tensors) shapes.push_back({tensor.name, tensor.shape});
    const auto put = [&](std::size_t position, std::span<std::byte> room) {
        put_floats(tensors[position].values, room);
    };
    return encode_safetensors(shapes, put, metadata);
}

std::vector<std::byte> encode_safetensors(std::span<const NamedShape> tensors, const PutValues& put,
                                          const std::map<std::string, std::string>& metadata) {
    const auto header = header_of(tensors, metadata);
    const std::array<std::uint64_t, 1> length{header.size()};
    std::size_t total = safetensors::length_bytes + header.size();
    for (const auto& tensor : tensors) total += bytes_of(tensor);
    std::vector<std::byte> bytes(total);
    auto rest = put_front(bytes, std::as_bytes(std::span(length)));
    rest = put_front(rest, std::as_bytes(std::span(header)));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto size = bytes_of(tensors[i]);
        put(i, rest.first(size));
        rest = rest.subspan(size);
    }
    return bytes;
}

SafetensorsFile read_safetensors(std::span<const std::byte> bytes, const std::string& source) {
    return Reader(bytes, source).read();
}

std::vector<NamedTensor> decode_safetensors(std::span<const std::byte> bytes, const std::string& source) {
    return read_safetensors(bytes, source).tensors;
}

}  // namespace convoy
