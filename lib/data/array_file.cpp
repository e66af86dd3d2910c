#include "data/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/cpu_versions.hpp"
#include "base/error.hpp"

namespace convoy {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken as they are in the file");

/// Calls visit with a zero of the C++ type of the elements.
template <typename Visit>
void with_type(NpyType type, const Visit& visit) {
    switch (type) {
        case NpyType::u1: return visit(std::uint8_t{});
        case NpyType::i4: return visit(std::int32_t{});
        case NpyType::i8: return visit(std::int64_t{});
        case NpyType::f4: return visit(float{});
        case NpyType::f8: return visit(double{});
    }
}

template <typename T>
T element_at(std::span<const std::uint8_t> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

/// Elements that a float holds exactly are multiplied as floats, which is what bytes of other datasets are;
/// others as doubles, so that only the product is rounded.
template <typename T>
float scaled(T element, double scale) {
    if constexpr (sizeof(T) == 1 || std::is_same_v<T, float>)
        return static_cast<float>(element) * static_cast<float>(scale);
    return static_cast<float>(static_cast<double>(element) * scale);
}

/// Puts the elements of an example from its first-th on where they belong.
template <typename T>
void put(std::span<const std::uint8_t> bytes, std::uint64_t first, const ArrayConversion& conversion,
         std::span<float> into) {
    const auto count = bytes.size() / sizeof(T);
    if (conversion.channels_last == 1) {
        const auto target = into.subspan(first, count);
        in_cpu_version([=, scale = conversion.scale] {
            for (std::size_t i = 0; i < count; ++i) target[i] = scaled(element_at<T>(bytes, i), scale);
        });
        return;
    }
    const auto channels = static_cast<std::uint64_t>(conversion.channels_last);
    const auto pixels = into.size() / channels;
    auto pixel = first / channels;
    auto channel = first % channels;
    for (std::size_t i = 0; i < count; ++i) {
        into[channel * pixels + pixel] = scaled(element_at<T>(bytes, i), conversion.scale);
        if (++channel < channels) continue;
        channel = 0;
        ++pixel;
    }
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& npy_file, bool in_memory) : name_(npy_file.string()) {
    const auto header = read_npy_header(*file_source(npy_file));
    form_ = header;
    elements_ = NpyElements{.file = ReadOnlyFile(npy_file), .offset = header.offset};
    if (in_memory) elements_ = bytes_of(0, static_cast<std::uint64_t>(size()));
}

ArrayFile::ArrayFile(Hdf5Array array, bool in_memory) : name_(array.name()), form_(array.form()) {
    elements_ = std::move(array);
    if (in_memory) elements_ = bytes_of(0, static_cast<std::uint64_t>(size()));
}

std::uint64_t ArrayFile::example_bytes() const {
    return static_cast<std::uint64_t>(form_.shape.elements() / size()) * form_.type_name().bytes;
}

ArrayFile::Bytes ArrayFile::bytes_of(std::uint64_t first, std::uint64_t count) const {
    Bytes bytes(count * example_bytes());
    if (const auto* npy = std::get_if<NpyElements>(&elements_)) {
        read_bytes(*npy, first * example_bytes(), bytes);
    } else {
        std::get<Hdf5Array>(elements_).read_rows(first, count, bytes);
    }
    return bytes;
}

void ArrayFile::read_bytes(const NpyElements& npy, std::uint64_t offset, std::span<std::uint8_t> into) const {
    if (npy.file.read_at(npy.offset + offset, into) < into.size())
        throw DataError(fmt::format("{}: became shorter while it was read", name_));
}

template <typename Take>
void ArrayFile::read(std::uint64_t first, std::uint64_t count, const Take& take) const {
    if (const auto* bytes = std::get_if<Bytes>(&elements_)) {
        take(std::span(*bytes).subspan(first * example_bytes(), count * example_bytes()), std::uint64_t{0});
        return;
    }
    const auto* npy = std::get_if<NpyElements>(&elements_);
    if (npy == nullptr) {
        const auto bytes = bytes_of(first, count);
        take(std::span(bytes), std::uint64_t{0});
        return;
    }
    const auto width = form_.type_name().bytes;
    std::array<std::uint8_t, 8192> room{};
    const auto all = count * example_bytes();
    for (std::uint64_t done = 0; done < all;) {
        const auto piece =
            std::span(room).first(std::min<std::uint64_t>(all - done, room.size() / width * width));
        read_bytes(*npy, first * example_bytes() + done, piece);
        take(piece, done / width);
        done += piece.size();
    }
}

ArrayValues::ArrayValues(std::vector<ArrayFile> files, ArrayConversion conversion)
    : files_(std::move(files)), conversion_(conversion) {
    std::int64_t end = 0;
    for (const auto& file : files_) ends_.push_back(end += file.size());
}

void ArrayValues::read(std::uint32_t example, std::span<float> into) const {
    const auto found = std::ranges::upper_bound(ends_, std::int64_t{example});
    const auto which = static_cast<std::size_t>(found - ends_.begin());
    if (which == files_.size())
        throw InternalError(fmt::format("example {} is in none of the files", example));
    const auto& file = files_[which];
    const auto index =
        static_cast<std::uint64_t>(example) - static_cast<std::uint64_t>(ends_[which] - file.size());
    with_type(file.form().type, [&]<typename T>(T /*zero*/) {
        file.read(index, 1, [&](std::span<const std::uint8_t> bytes, std::uint64_t first) {
            put<T>(bytes, first, conversion_, into);
        });
    });
    const auto wrong = std::ranges::find_if_not(into, [](float value) { return std::isfinite(value); });
    if (wrong == into.end()) return;
    throw DataError(fmt::format("{}: example {} holds {}, expected finite numbers within float32",
                                file.name(), index, *wrong));
}

bool ArrayValues::decodes() const {
    return std::ranges::any_of(files_, &ArrayFile::decodes);
}

std::vector<std::int32_t> read_labels(const ArrayFile& array, std::int64_t most) {
    const auto& form = array.form();
    const bool is_integer = form.type == NpyType::u1 || form.type == NpyType::i4 || form.type == NpyType::i8;
    if (!is_integer || form.shape.rank() != 1) {
        throw DataError(
            fmt::format("{}: found labels of shape {} and type '{}', expected one dimension of '|u1', "
                        "'<i4' or '<i8'",
                        array.name(), form.shape.text(), form.type_name().descr));
    }
    std::vector<std::int32_t> labels(static_cast<std::size_t>(array.size()));
    const auto take = [&]<typename T>(T /*zero*/) {
        array.read(0, labels.size(), [&](std::span<const std::uint8_t> bytes, std::uint64_t first) {
            for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
                const auto label = static_cast<std::int64_t>(element_at<T>(bytes, i));
                if (label < 0 || label > most) {
                    throw DataError(fmt::format("{}: found label {} of example {}, expected one in 0 to {}",
                                                array.name(), label, first + i, most));
                }
                labels[first + i] = static_cast<std::int32_t>(label);
            }
        });
    };
    with_type(form.type, take);
    return labels;
}

}  // namespace convoy
