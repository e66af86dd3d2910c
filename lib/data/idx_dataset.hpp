#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace convoy {

/// The names of an image file and its label file in an IDX dataset, without .gz.
struct IdxFiles {
    const char* images;
    const char* labels;
};
constexpr IdxFiles idx_train_files{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
constexpr IdxFiles idx_test_files{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/// Reads an image file and its label file. It checks that there are as many labels as images, that images
/// have the shape of `info` (1, H, W), and that labels are classes. cache: see load_dataset. Throws
/// MissingFileError or DataError, with the command that helps.
Dataset load_idx_dataset(const DatasetInfo& info, const std::filesystem::path& folder, const IdxFiles& files,
                         bool cache);

}  // namespace convoy
