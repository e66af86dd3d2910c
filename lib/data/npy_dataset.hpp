#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace convoy {

/// A dataset in the NPY files that a spec names (NPY.md).
struct NpyDataset {
    DatasetInfo info;
    Dataset train;  ///< what is trained on, and behind it what is validated on
    Dataset test;
};

/// What the files hold, from their headers and labels alone. spec.npy must be there; a relative path is one
/// in data_folder. Throws MissingFileError, or DataError that names the file or field, what was found and
/// what was expected.
DatasetInfo npy_dataset_info(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// Reads them. cache: all values are kept in memory as the files have them; otherwise they are read from the
/// files each time they are needed. Throws as npy_dataset_info.
NpyDataset load_npy_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, bool cache);

}  // namespace convoy
