#include "data/hdf5_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "data/hdf5_array.hpp"
#include "data/hdf5_library.hpp"

namespace convoy {
namespace {

Hdf5Handle made(hid_t id, Hdf5Handle::Close close, const std::string& what) {
    if (id < 0) throw OutputError(fmt::format("{}: {}", what, hdf5_error()));
    return {id, close};
}

std::vector<hsize_t> extents_of(const Shape& shape) {
    return {shape.begin(), shape.end()};
}

/// A new array in a file, which is written from its first example on.
class NewArray {
  public:
    /// chunk: absent: the elements are in one piece.
    NewArray(const Hdf5Handle& file, std::string name, hid_t type, const Shape& shape,
             const Hdf5Storage* chunks)
        : name_(std::move(name)),
          type_(type),
          extents_(extents_of(shape)),
          space_(made(H5Screate_simple(static_cast<int>(extents_.size()), extents_.data(), nullptr), H5Sclose,
                      name_)),
          dataset_(create(file, chunks)) {}

    void write(hsize_t first, hsize_t count, const void* elements) const {
        auto rows = extents_;
        rows[0] = count;
        std::vector<hsize_t> offset(rows.size(), 0);
        offset[0] = first;
        const auto memory =
            made(H5Screate_simple(static_cast<int>(rows.size()), rows.data(), nullptr), H5Sclose, name_);
        if (H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, offset.data(), nullptr, rows.data(), nullptr) <
                0 ||
            H5Dwrite(dataset_.id(), type_, memory.id(), space_.id(), H5P_DEFAULT, elements) < 0)
            throw OutputError(fmt::format("{}: {}", name_, hdf5_error()));
    }
    /// Writes what the library still has in memory.
    void finish() {
        if (!dataset_.close()) throw OutputError(fmt::format("{}: {}", name_, hdf5_error()));
    }

  private:
    [[nodiscard]] Hdf5Handle create(const Hdf5Handle& file, const Hdf5Storage* chunks) const {
        const auto groups = made(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name_);
        require(H5Pset_create_intermediate_group(groups.id(), 1));
        const auto storage = made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name_);
        if (chunks != nullptr) {
            const auto chunk = chunk_of(*chunks);
            require(H5Pset_chunk(storage.id(), static_cast<int>(chunk.size()), chunk.data()));
            if (chunks->deflate > 0) {
                require(H5Pset_shuffle(storage.id()));
                require(H5Pset_deflate(storage.id(), static_cast<unsigned>(chunks->deflate)));
            }
        }
        return made(
            H5Dcreate2(file.id(), name_.c_str(), type_, space_.id(), groups.id(), storage.id(), H5P_DEFAULT),
            H5Dclose, name_);
    }

    /// The extents of a chunk. The reader takes no larger ones.
    [[nodiscard]] std::vector<hsize_t> chunk_of(const Hdf5Storage& chunks) const {
        auto chunk = extents_;
        chunk[0] = std::min<hsize_t>(chunk[0], static_cast<hsize_t>(chunks.chunk_examples));
        std::uint64_t bytes = H5Tget_size(type_);
        for (const auto extent : chunk) {
            if (extent > hdf5::most_chunk_bytes / bytes)
                throw UsageError(fmt::format("{}: {} examples are more than {} bytes, the most of a chunk{}",
                                             name_, chunk[0], hdf5::most_chunk_bytes,
                                             chunk[0] > 1 ? "; give a smaller --chunk" : ""));
            bytes *= extent;
        }
        return chunk;
    }
    void require(herr_t result) const {
        if (result < 0) throw OutputError(fmt::format("{}: {}", name_, hdf5_error()));
    }

    std::string name_;
    hid_t type_;
    std::vector<hsize_t> extents_;
    Hdf5Handle space_, dataset_;
};

/// The values of all inputs, a chunk at a time, so that each is compressed once.
void write_inputs(const Hdf5Handle& file, const Dataset& dataset, const std::string& group,
                  const Hdf5Storage& storage, std::vector<std::string>& names) {
    const auto& inputs = dataset.example_shape().inputs();
    std::vector<NewArray> arrays;
    std::vector<std::vector<float>> chunks;
    for (const auto& input : inputs) {
        names.push_back(fmt::format("{}/{}", group, input.name));
        arrays.emplace_back(file, names.back(), H5T_IEEE_F32LE, input.shape.with_batch(dataset.size()),
                            &storage);
        chunks.emplace_back();
    }
    std::vector<float> example(static_cast<std::size_t>(dataset.example_shape().elements()));
    for (std::int64_t first = 0; first < dataset.size(); first += storage.chunk_examples) {
        const auto end = std::min(dataset.size(), first + storage.chunk_examples);
        for (auto& chunk : chunks) chunk.clear();
        for (auto i = first; i < end; ++i) {
            dataset.read(static_cast<std::uint32_t>(i), example);
            auto rest = std::span<const float>(example);
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const auto own = rest.first(static_cast<std::size_t>(inputs[k].shape.elements()));
                chunks[k].insert(chunks[k].end(), own.begin(), own.end());
                rest = rest.subspan(own.size());
            }
        }
        for (std::size_t k = 0; k < inputs.size(); ++k)
            arrays[k].write(static_cast<hsize_t>(first), static_cast<hsize_t>(end - first), chunks[k].data());
    }
    for (auto& array : arrays) array.finish();
}

/// Makes sure that the content of a file is on disk. The file must be there.
void sync(const std::filesystem::path& file) {
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.get() < 0 || ::fsync(opened.get()) != 0)
        throw OutputError(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
}

Hdf5Handle make_file(const std::filesystem::path& file) {
    const auto name = file.string();
    open_to_write(file);  // follows no link, and says why not in the system's words
    const auto access = made(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name);
    // Nobody else knows the file; and network file systems may have no locks.
    H5Pset_file_locking(access.id(), hbool_t{false}, hbool_t{true});
    const auto id = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
    if (id < 0) {
        const auto why = hdf5_error();
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        throw OutputError(fmt::format("{}: {}", name, why));
    }
    return {id, H5Fclose};
}

}  // namespace

struct Hdf5Writer::Opened {
    Hdf5Handle file;
};

Hdf5Writer::Hdf5Writer(std::filesystem::path file, const Hdf5Storage& storage)
    : file_(std::move(file)), storage_(storage) {
    const Hdf5Turn turn;
    opened_ = std::make_unique<Opened>(Opened{make_file(name_of_new(file_))});
}

Hdf5Writer::~Hdf5Writer() {
    const Hdf5Turn turn;
    opened_.reset();
    std::error_code ignored;
    if (!is_published_) std::filesystem::remove(name_of_new(file_), ignored);
}

std::vector<std::string> Hdf5Writer::add(const Dataset& dataset, const std::string& split) {
    const Hdf5Turn turn;
    std::vector<std::string> names;
    const auto& file = opened_->file;
    const auto group = "/" + split;
    write_inputs(file, dataset, group, storage_, names);
    const auto write_one = [&](const std::string& name, hid_t type, const void* elements) {
        names.push_back(fmt::format("{}/{}", group, name));
        NewArray array(file, names.back(), type, {dataset.size()}, nullptr);
        array.write(0, static_cast<hsize_t>(dataset.size()), elements);
        array.finish();
    };
    write_one("labels", H5T_STD_I32LE, dataset.labels().data());
    if (!dataset.label_scale()) return names;
    std::vector<double> quantities;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        quantities.push_back(dataset.quantity(static_cast<std::uint32_t>(i)));
    write_one(dataset.label_scale()->quantity, H5T_IEEE_F64LE, quantities.data());
    return names;
}

void Hdf5Writer::finish() {
    {
        const Hdf5Turn turn;
        if (H5Fflush(opened_->file.id(), H5F_SCOPE_LOCAL) < 0 || !opened_->file.close())
            throw OutputError(fmt::format("{}: {}", file_.string(), hdf5_error()));
    }
    sync(name_of_new(file_));
    publish_new(file_);
    is_published_ = true;
}

}  // namespace convoy
