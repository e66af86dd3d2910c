#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "data/dataset.hpp"

namespace convoy {

/// The first `wanted` examples (at least; whole files) of the CIFAR-10 files of these names in a folder.
/// cache must be true: a label stands before each image, and all of them are read at once. Throws
/// MissingFileError or DataError with the command that helps.
Dataset load_cifar10(const DatasetInfo& info, const std::filesystem::path& folder,
                     std::span<const std::string_view> files, std::int64_t wanted, bool cache);

}  // namespace convoy
