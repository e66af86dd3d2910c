#include "data/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace convoy {
namespace {

void check_magic(std::span<const std::uint8_t> magic, std::size_t rank, const std::string& source) {
    const auto hex = fmt::format("{:02x}{:02x}{:02x}{:02x}", magic[0], magic[1], magic[2], magic[3]);
    if (magic[0] != 0 || magic[1] != 0) {
        throw DataError(fmt::format("{}: not an IDX file: it begins with {}, not 0000", source, hex));
    }
    if (magic[2] != idx::type_unsigned_byte) {
        throw DataError(fmt::format("{}: element type {:#04x} of magic {} is not unsigned byte, {:#04x}",
                                    source, magic[2], hex, idx::type_unsigned_byte));
    }
    if (magic[3] != rank) {
        throw DataError(fmt::format("{}: magic {} says {} dimensions where {} are expected", source, hex,
                                    magic[3], rank));
    }
}

std::int64_t big_endian(std::span<const std::uint8_t> bytes) {
    std::int64_t value = 0;
    for (const auto byte : bytes) value = value << 8 | byte;
    return value;
}

}  // namespace

Shape read_idx_header(ByteSource& source, std::size_t rank) {
    std::array<std::uint8_t, idx::magic_bytes> magic{};
    read_exactly(source, magic, "magic number");
    check_magic(magic, rank, source.name());

    const auto most = std::min(source.most_bytes(), idx::most_elements);
    std::vector<std::int64_t> extents;
    std::uint64_t elements = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        std::array<std::uint8_t, idx::extent_bytes> bytes{};
        read_exactly(source, bytes, "header");
        extents.push_back(big_endian(bytes));
        const auto extent = static_cast<std::uint64_t>(extents.back());
        if (extent == 0)
            throw DataError(fmt::format("{}: dimension {} is 0: it holds no examples", source.name(), axis));
        if (elements > most / extent) {
            throw DataError(
                fmt::format("{}: truncated or damaged: its header asks for {} and more elements, {} at most "
                            "can be there",
                            source.name(), Shape(extents).text(), most));
        }
        elements *= extent;
    }
    return Shape(std::move(extents));
}

IdxArray read_idx(ByteSource& source, std::size_t rank) {
    IdxArray array{read_idx_header(source, rank), {}};
    array.bytes.resize(static_cast<std::size_t>(array.shape.elements()));
    read_exactly(source, array.bytes, "elements");
    std::array<std::uint8_t, 1> more{};
    if (source.read(more) != 0) {
        throw DataError(fmt::format("{}: bytes follow the {} elements that its header announces",
                                    source.name(), array.bytes.size()));
    }
    return array;
}

void check_idx_labels(std::span<const std::uint8_t> labels, std::int64_t classes, const std::string& source) {
    const auto wrong =
        std::find_if(labels.begin(), labels.end(), [&](auto label) { return label >= classes; });
    if (wrong == labels.end()) return;
    throw DataError(fmt::format("{}: label {} of example {} is not one of the {} classes 0 to {}", source,
                                *wrong, wrong - labels.begin(), classes, classes - 1));
}

std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& file) {
    if (auto found = existing_form(folder / file)) return *std::move(found);
    throw MissingFileError(fmt::format("{}: not there, nor {}.gz", (folder / file).string(), file));
}

}  // namespace convoy
