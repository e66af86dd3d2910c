#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

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
/// have the shape of `info` (1, H, W), and that labels are classes. A file whose content is not wanted is not
/// opened. cache, wanted: see load_dataset. Throws MissingFileError or DataError, with the command that
/// helps.
Dataset load_idx_dataset(const DatasetInfo& info, const std::filesystem::path& folder, const IdxFiles& files,
                         bool cache, const DataWanted& wanted = {});

/// The number of examples, by the header of the image file, or of the label file if there is no image file.
/// Absent if there is neither. Throws DataError, with the command that helps.
std::optional<std::int64_t> count_idx_examples(const DatasetInfo& info, const std::filesystem::path& folder,
                                               const IdxFiles& files);

}  // namespace convoy
