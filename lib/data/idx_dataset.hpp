#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace convoy {

/// The names that the four files of an IDX dataset have, gzipped or not.
struct IdxFiles {
    const char* images;
    const char* labels;
};
constexpr IdxFiles idx_train_files{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
constexpr IdxFiles idx_test_files{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/// Reads one pair of image and label files: as many labels as images, images of info's shape (1, H, W),
/// labels that are classes. cache as for load_dataset. Throws MissingFileError or DataError with the command
/// that helps.
Dataset load_idx_dataset(const DatasetInfo& info, const std::filesystem::path& folder, const IdxFiles& files,
                         bool cache);

}  // namespace convoy
