#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "data/temporary_folder.hpp"

namespace convoy::test {

/// An IDX header and its elements, written out as IDX.md says and not with the reader's constants.
std::string idx_bytes(std::initializer_list<std::uint32_t> extents, std::string_view elements);

/// content as a gzip file.
std::string gzipped(std::string_view content);

/// Fills elements with a pattern that differs from place to place.
std::string pattern(std::size_t count, int modulus = 251);

/// Puts a small MNIST-like dataset into folder/name: train of 20 and test of 6 images of 28x28, raw or
/// gzipped.
void write_small_dataset(const TemporaryFolder& folder, const std::string& name, bool gzip);

}  // namespace convoy::test
