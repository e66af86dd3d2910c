#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/example_values.hpp"
#include "data/npy.hpp"

namespace convoy {

/// One NPY file. Its elements are in memory, or are read from the file each time they are needed.
class NpyArray {
  public:
    /// Reads the header, and with in_memory also the elements. Throws MissingFileError, or a DataError that
    /// names the file.
    NpyArray(const std::filesystem::path& file, bool in_memory);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const NpyHeader& header() const { return header_; }
    /// The first extent: the number of examples.
    [[nodiscard]] std::int64_t size() const { return header_.shape[0]; }

    /// Calls take(bytes, index) for each piece of the elements [first, first + count), in order. `index`
    /// counts elements from `first`. No element is cut. Throws DataError if the file has become shorter.
    template <typename Take>
    void read(std::uint64_t first, std::uint64_t count, const Take& take) const;

  private:
    /// Reads the bytes from `offset`, counted from the first element.
    void read_bytes(std::uint64_t offset, std::span<std::uint8_t> into) const;

    std::string name_;
    NpyHeader header_;
    std::optional<ReadOnlyFile> file_;  // open where the elements are read from it
    std::vector<std::uint8_t> bytes_;   // all elements, where they are in memory
};

/// The conversion of an example's elements to the floats of an image.
struct NpyConversion {
    double scale = 1.0;              ///< factor of each element
    std::int64_t channels_last = 1;  ///< channels of an H,W,C image, which becomes C,H,W; 1: no such axis
};

/// The examples of NPY files of one type and shape, one file after the other.
class NpyValues final : public ExampleValues {
  public:
    /// files: their headers differ in the first extent only.
    NpyValues(std::vector<NpyArray> files, NpyConversion conversion);
    /// Throws a DataError that names the file and the example if a value is not finite as a float, or if the
    /// file has become shorter.
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::vector<NpyArray> files_;
    std::vector<std::int64_t> ends_;  // examples in each file and those before it
    NpyConversion conversion_;
};

/// Reads all elements of an array with one dimension and an integer type. Each must be in [0, most]. Throws a
/// DataError that names the file and the first wrong example.
std::vector<std::int32_t> read_npy_labels(const NpyArray& array, std::int64_t most);

}  // namespace convoy
