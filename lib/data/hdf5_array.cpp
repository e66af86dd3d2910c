#include "data/hdf5_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/byte_source.hpp"
#include "data/hdf5_library.hpp"

namespace convoy {
namespace {

[[noreturn]] void fail(const std::string& label, const std::string& problem) {
    throw DataError(fmt::format("{}: {}", label, problem));
}

Hdf5Handle handle_of(hid_t id, Hdf5Handle::Close close, const std::string& label) {
    if (id < 0) fail(label, hdf5_error());
    return {id, close};
}

Hdf5Handle open_file(const std::filesystem::path& file) {
    const ReadOnlyFile readable(file);  // says what is wrong with it in the system's words
    const auto access = handle_of(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, file.string());
    // Nobody writes it; and network file systems may have no locks.
    H5Pset_file_locking(access.id(), 0, 1);
    return handle_of(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, file.string());
}

Hdf5Handle open_dataset(const Hdf5Handle& file, const std::string& name, std::size_t chunk_cache_bytes,
                        const std::string& label) {
    const auto access = handle_of(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, label);
    constexpr std::size_t slots = 12421;  // a prime, as the library asks; no more chunks than this stay
    constexpr double drops_read_chunks_first = 1.0;
    H5Pset_chunk_cache(access.id(), slots, chunk_cache_bytes, drops_read_chunks_first);
    return handle_of(H5Dopen2(file.id(), name.c_str(), access.id()), H5Dclose, label);
}

/// A link may lead to another file, of which nobody has checked anything.
void require_own(const Hdf5Handle& file, const Hdf5Handle& dataset, const std::string& label) {
    const auto name_of = [&](hid_t id) {
        std::array<char, 4096> name{};
        if (H5Fget_name(id, name.data(), name.size()) < 0) fail(label, hdf5_error());
        return std::string(name.data());
    };
    if (name_of(file.id()) != name_of(dataset.id()))
        fail(label, "leads to another file, " + name_of(dataset.id()));
}

std::optional<NpyType> type_of(hid_t id) {
    const auto bytes = H5Tget_size(id);
    if (H5Tget_class(id) == H5T_FLOAT) {
        if (bytes == 4) return NpyType::f4;
        if (bytes == 8) return NpyType::f8;
    }
    if (H5Tget_class(id) == H5T_INTEGER) {
        const bool is_signed = H5Tget_sign(id) == H5T_SGN_2;
        if (bytes == 1 && !is_signed) return NpyType::u1;
        if (bytes == 4 && is_signed) return NpyType::i4;
        if (bytes == 8 && is_signed) return NpyType::i8;
    }
    return std::nullopt;
}

/// The library's name of a type in memory.
hid_t memory_type(NpyType type) {
    switch (type) {
        case NpyType::u1: return H5T_STD_U8LE;
        case NpyType::i4: return H5T_STD_I32LE;
        case NpyType::i8: return H5T_STD_I64LE;
        case NpyType::f4: return H5T_IEEE_F32LE;
        case NpyType::f8: return H5T_IEEE_F64LE;
    }
    throw InternalError("a type of elements without a name in HDF5");
}

NpyType read_type(const Hdf5Handle& dataset, const std::string& label) {
    const auto stored = handle_of(H5Dget_type(dataset.id()), H5Tclose, label);
    const auto type = type_of(stored.id());
    if (!type)
        fail(label,
             "found elements of another type, expected unsigned bytes, integers of 32 or 64 bits, or floats "
             "of 32 or 64 bits");
    return *type;
}

Shape read_shape(const Hdf5Handle& dataset, const std::string& label) {
    const auto space = handle_of(H5Dget_space(dataset.id()), H5Sclose, label);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank < 1 || H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr) < 0)
        fail(label, "found no array, expected one of 1 to 32 dimensions");
    std::vector<std::int64_t> shape;
    std::uint64_t elements = 1;
    for (const auto extent : std::span(extents).first(static_cast<std::size_t>(rank))) {
        if (extent == 0) fail(label, "found an array without elements");
        if (extent > npy::most_elements / elements)
            fail(label, fmt::format("found more than {} elements", npy::most_elements));
        elements *= extent;
        shape.push_back(static_cast<std::int64_t>(extent));
    }
    return Shape(std::move(shape));
}

/// What was never written would be read as the array's fill value.
void require_whole(std::uint64_t found, std::uint64_t expected, const char* what, const std::string& label) {
    if (found < expected)
        fail(label, fmt::format("only {} of its {} {} were written", found, expected, what));
}

/// The elements must be in this file, all of them, in chunks that have room, by filters that are there.
void check_storage(const Hdf5Handle& dataset, const Shape& shape, std::size_t element_bytes,
                   const std::string& label) {
    const auto made = handle_of(H5Dget_create_plist(dataset.id()), H5Pclose, label);
    const auto layout = H5Pget_layout(made.id());
    if (layout == H5D_VIRTUAL || H5Pget_external_count(made.id()) != 0)
        fail(label, "its elements are in other files");
    if (layout != H5D_CHUNKED)
        return require_whole(H5Dget_storage_size(dataset.id()),
                             static_cast<std::uint64_t>(shape.elements()) * element_bytes, "bytes", label);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Pget_chunk(made.id(), H5S_MAX_RANK, extents.data());
    std::uint64_t bytes = element_bytes, chunks = 1;
    for (int i = 0; i < rank; ++i) {
        const auto extent = std::max<hsize_t>(1, extents.at(static_cast<std::size_t>(i)));
        if (extent > hdf5::most_chunk_bytes / bytes)
            fail(label, fmt::format("found chunks of more than {} bytes", hdf5::most_chunk_bytes));
        bytes *= extent;
        chunks *= (static_cast<hsize_t>(shape[static_cast<std::size_t>(i)]) + extent - 1) / extent;
    }
    for (int i = 0; i < H5Pget_nfilters(made.id()); ++i) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        std::array<char, 64> name{};
        const auto filter = H5Pget_filter2(made.id(), static_cast<unsigned>(i), &flags, &values, nullptr,
                                           name.size(), name.data(), &config);
        if (H5Zfilter_avail(filter) > 0) continue;
        fail(label,
             fmt::format("its chunks need the filter {} ({}), which is not there; expected deflate, shuffle, "
                         "fletcher32 or none",
                         static_cast<int>(filter), name.data()));
    }
    const auto space = handle_of(H5Dget_space(dataset.id()), H5Sclose, label);
    hsize_t written = 0;
    if (H5Dget_num_chunks(dataset.id(), space.id(), &written) < 0) fail(label, hdf5_error());
    require_whole(written, chunks, "chunks", label);
}

}  // namespace

struct Hdf5Array::Opened {
    Hdf5Handle file, dataset;
    Opened(Hdf5Handle of_file, Hdf5Handle of_dataset)
        : file(std::move(of_file)), dataset(std::move(of_dataset)) {}
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    Opened(Opened&&) = delete;
    Opened& operator=(Opened&&) = delete;
    ~Opened() {
        const Hdf5Turn turn;
        dataset.close();
        file.close();
    }
};

Hdf5Array::Hdf5Array(const std::filesystem::path& file, const std::string& name,
                     std::size_t chunk_cache_bytes)
    : name_(fmt::format("{}:{}", file.string(), name)) {
    const Hdf5Turn turn;
    auto opened_file = open_file(file);
    auto dataset = open_dataset(opened_file, name, chunk_cache_bytes, name_);
    require_own(opened_file, dataset, name_);
    form_ = {.type = read_type(dataset, name_), .shape = read_shape(dataset, name_)};
    check_storage(dataset, form_.shape, form_.type_name().bytes, name_);
    opened_ = std::make_shared<const Opened>(std::move(opened_file), std::move(dataset));
}

void Hdf5Array::read_rows(std::uint64_t first, std::uint64_t count, std::span<std::uint8_t> into) const {
    const Hdf5Turn turn;
    const auto rank = form_.shape.rank();
    std::array<hsize_t, H5S_MAX_RANK> offset{first}, extents{};
    std::ranges::copy(form_.shape, extents.begin());
    extents[0] = count;
    const auto dataset = opened_->dataset.id();
    const auto in_file = handle_of(H5Dget_space(dataset), H5Sclose, name_);
    const auto in_memory =
        handle_of(H5Screate_simple(static_cast<int>(rank), extents.data(), nullptr), H5Sclose, name_);
    const auto bytes =
        static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(in_memory.id())) * form_.type_name().bytes;
    if (bytes != into.size())
        throw InternalError(
            fmt::format("{}: {} bytes for {} rows of {}", name_, into.size(), count, form_.shape.text()));
    if (H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, offset.data(), nullptr, extents.data(), nullptr) <
            0 ||
        H5Dread(dataset, memory_type(form_.type), in_memory.id(), in_file.id(), H5P_DEFAULT, into.data()) < 0)
        fail(name_, fmt::format("rows {} to {}: {}", first, first + count - 1, hdf5_error()));
}

}  // namespace convoy
