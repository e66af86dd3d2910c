#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace convoy {

/// A dataset from the NPY files of a spec (NPY.md).
struct NpyDataset {
    DatasetInfo info;
    Dataset train;  ///< the training examples, and behind them the validation examples
    Dataset test;
};

/// The info of the dataset, from the headers and labels of its files. spec.npy must be set; relative paths
/// are in data_folder. Throws MissingFileError, or a DataError that names the file or field, the found value
/// and the expected value.
DatasetInfo npy_dataset_info(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// Reads the dataset. cache: all values are kept in memory in the types of the files; otherwise they are read
/// from the files each time they are needed. wanted: see load_dataset; headers and labels are always read and
/// checked. Throws as npy_dataset_info.
NpyDataset load_npy_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, bool cache,
                            const DataWanted& wanted = {});

}  // namespace convoy
