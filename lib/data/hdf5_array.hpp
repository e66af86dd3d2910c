#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "data/npy.hpp"

namespace convoy {

/// Our own bounds of HDF5 files (HDF5.md).
namespace hdf5 {
constexpr std::size_t most_chunk_bytes = std::size_t{1} << 30U;
}  // namespace hdf5

/// A dataset of an HDF5 file, open for reading (HDF5.md). Several threads may read; they take turns.
class Hdf5Array {
  public:
    /// name: of the dataset in the file, as in /train/images. chunk_cache_bytes: of decoded chunks that stay
    /// in memory. Throws MissingFileError, or a DataError that names the file and the dataset.
    Hdf5Array(const std::filesystem::path& file, const std::string& name, std::size_t chunk_cache_bytes = 0);

    /// FILE:/NAME.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// The elements that read_rows gives.
    [[nodiscard]] const ArrayForm& form() const { return form_; }

    /// Reads the rows [first, first + count), a row being an index of the first extent, as little-endian
    /// elements in order. `into` has exactly their bytes. Throws DataError if the library cannot read them.
    void read_rows(std::uint64_t first, std::uint64_t count, std::span<std::uint8_t> into) const;

  private:
    struct Opened;  ///< the library's file and dataset

    std::string name_;
    std::shared_ptr<const Opened> opened_;
    ArrayForm form_;
};

}  // namespace convoy
