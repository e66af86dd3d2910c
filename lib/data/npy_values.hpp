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

/// One NPY file, its elements in memory or read from the file each time they are needed.
class NpyArray {
  public:
    /// Reads the header, and the elements too where they are to be kept in memory. Throws MissingFileError,
    /// or DataError that names the file.
    NpyArray(const std::filesystem::path& file, bool in_memory);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const NpyHeader& header() const { return header_; }
    /// The first extent.
    [[nodiscard]] std::int64_t size() const { return header_.shape[0]; }

    /// Calls take(bytes, first) for pieces of the elements [first, first + count), in order; first counts
    /// from that first element, and no element is cut. Throws DataError where the file has become shorter.
    template <typename Take>
    void read(std::uint64_t first, std::uint64_t count, const Take& take) const;

  private:
    /// The bytes from an offset among the elements on.
    void read_bytes(std::uint64_t offset, std::span<std::uint8_t> into) const;

    std::string name_;
    NpyHeader header_;
    std::optional<ReadOnlyFile> file_;  // open where the elements are read from it
    std::vector<std::uint8_t> bytes_;   // all elements, where they are in memory
};

/// How the elements of an example become the floats of an image.
struct NpyConversion {
    double scale = 1.0;              ///< each element times this
    std::int64_t channels_last = 1;  ///< channels that stand behind each pixel (H,W,C); 1: there are none
};

/// Examples of NPY files of one type and shape, one file after the other.
class NpyValues final : public ExampleValues {
  public:
    /// The files' headers agree but in their first extent.
    NpyValues(std::vector<NpyArray> files, NpyConversion conversion);
    /// Throws DataError that names the file and the example where a value is not finite as a float, or the
    /// file has become shorter.
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::vector<NpyArray> files_;
    std::vector<std::int64_t> ends_;  // examples in each file and those before it
    NpyConversion conversion_;
};

/// All elements of an array of one dimension and integer type, each of which must be in [0, most]. Throws
/// DataError that names the file and the first example that is not.
std::vector<std::int32_t> read_npy_labels(const NpyArray& array, std::int64_t most);

}  // namespace convoy
