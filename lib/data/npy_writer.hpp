#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "data/dataset.hpp"
#include "data/npy.hpp"

namespace convoy {

/// The header of an NPY file of version 1.0, its magic and length included, padded with blanks as NumPy does
/// so that the elements begin at a multiple of 64 bytes.
std::string npy_header(NpyType type, const Shape& shape);

/// Writes an array piece by piece, under the name FILE.new until it is whole. All members throw OutputError.
class NpyWriter {
  public:
    NpyWriter(std::filesystem::path file, NpyType type, const Shape& shape);
    /// The next elements in order, of the array's type.
    template <typename T>
    void write(std::span<const T> elements) {
        write_bytes(std::as_bytes(elements), sizeof(T));
    }
    /// Gives the file its name. Throws InternalError if elements are missing or too many.
    void finish();

  private:
    void write_bytes(std::span<const std::byte> bytes, std::size_t element_bytes);

    std::filesystem::path file_;
    std::size_t element_bytes_;
    std::uint64_t missing_;  // elements
    OutputFile output_;
};

/// Writes the arrays of a labelled dataset into a folder that exists: SPLIT_INPUT.npy (N,C,H,W) of floats for
/// each input, as a network reads it; SPLIT_labels.npy (N) of 32-bit integers; and where the labels are bins
/// of a quantity SPLIT_QUANTITY.npy (N) of doubles, its true values. Returns the names of the files. Throws
/// OutputError, and the errors of Dataset::read.
std::vector<std::string> write_arrays(const Dataset& dataset, const std::filesystem::path& folder,
                                      const std::string& split);

}  // namespace convoy
