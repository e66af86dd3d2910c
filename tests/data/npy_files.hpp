#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "data/temporary_folder.hpp"

namespace convoy::test {

/// A file that NumPy made (make_npy.py).
std::filesystem::path numpy_file(const std::string& name);

/// An NPY file of version 1.0, written out as NPY.md says and not with the reader's constants.
/// header: the dictionary's text.
std::string npy_bytes(std::string_view header, std::string_view elements);

/// As npy_bytes, for an array of a type and a shape such as "4, 2, 3".
std::string npy_array(std::string_view descr, std::string_view shape, std::string_view elements);

}  // namespace convoy::test
