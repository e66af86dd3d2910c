#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "data/dataset.hpp"

namespace convoy {

/// Loads the CIFAR-10 files with these names from a folder. It reads whole files, until it has at least
/// `wanted` examples. cache: must be true, since all records are kept in memory. Throws MissingFileError or
/// DataError, with the command that helps.
Dataset load_cifar10(const DatasetInfo& info, const std::filesystem::path& folder,
                     std::span<const std::string_view> files, std::int64_t wanted, bool cache);

}  // namespace convoy
