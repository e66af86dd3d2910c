#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/byte_source.hpp"
#include "data/example_values.hpp"
#include "data/hdf5_array.hpp"
#include "data/npy.hpp"

namespace convoy {

/// An array in a file: an NPY file (NPY.md), or a dataset of an HDF5 file (HDF5.md). Its elements are in
/// memory, or are read from the file each time they are needed.
class ArrayFile {
  public:
    /// Reads the form of the array, and with in_memory also its elements. Throws MissingFileError, or a
    /// DataError that names the file.
    ArrayFile(const std::filesystem::path& npy_file, bool in_memory);
    ArrayFile(Hdf5Array array, bool in_memory);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const ArrayForm& form() const { return form_; }
    /// The first extent: the number of examples.
    [[nodiscard]] std::int64_t size() const { return form_.shape[0]; }
    /// Whether read() decodes rows of an HDF5 file each time.
    [[nodiscard]] bool decodes() const { return std::holds_alternative<Hdf5Array>(elements_); }

    /// Calls take(bytes, index) for each piece of the examples [first, first + count), in order. `index`
    /// counts elements from the first of these. No element is cut. Throws DataError if the file has become
    /// shorter, or cannot be read.
    template <typename Take>
    void read(std::uint64_t first, std::uint64_t count, const Take& take) const;

  private:
    using Bytes = std::vector<std::uint8_t>;
    struct NpyElements {
        ReadOnlyFile file;
        std::uint64_t offset = 0;  ///< byte of the first element
    };

    /// The bytes of the examples [first, first + count).
    [[nodiscard]] Bytes bytes_of(std::uint64_t first, std::uint64_t count) const;
    /// Reads the bytes of an NPY file from `offset`, counted from the first element.
    void read_bytes(const NpyElements& npy, std::uint64_t offset, std::span<std::uint8_t> into) const;
    [[nodiscard]] std::uint64_t example_bytes() const;

    std::string name_;
    ArrayForm form_;
    std::variant<Bytes, NpyElements, Hdf5Array> elements_;
};

/// The conversion of an example's elements to the floats of an image.
struct ArrayConversion {
    double scale = 1.0;              ///< factor of each element
    std::int64_t channels_last = 1;  ///< channels of an H,W,C image, which becomes C,H,W; 1: no such axis
};

/// The examples of arrays of one type and shape, one array after the other.
class ArrayValues final : public ExampleValues {
  public:
    /// files: their forms differ in the first extent only.
    ArrayValues(std::vector<ArrayFile> files, ArrayConversion conversion);
    /// Throws a DataError that names the file and the example if a value is not finite as a float, or if the
    /// file has become shorter.
    void read(std::uint32_t example, std::span<float> into) const override;
    [[nodiscard]] bool decodes() const override;

  private:
    std::vector<ArrayFile> files_;
    std::vector<std::int64_t> ends_;  // examples in each file and those before it
    ArrayConversion conversion_;
};

/// Reads all elements of an array with one dimension and an integer type. Each must be in [0, most]. Throws a
/// DataError that names the file and the first wrong example.
std::vector<std::int32_t> read_labels(const ArrayFile& array, std::int64_t most);

}  // namespace convoy
