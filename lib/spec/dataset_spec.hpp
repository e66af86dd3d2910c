#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The name of a dataset that is the user's own NPY files; `DatasetSpec::npy` says which.
inline constexpr std::string_view npy_dataset = "npy";

/// How the axes of images of three extents stand in a file: channels before the pixels, or behind each.
enum class ImageLayout { channels_first, channels_last };

/// A dataset in NPY files (lib/data/NPY.md). A relative path is one in the data folder.
struct NpySpec {
    std::vector<std::string> images;                           ///< one file behind the other
    std::vector<std::string> labels;                           ///< likewise
    std::optional<std::vector<std::string>> test_images = {};  ///< split by file; absent: by test_fraction
    std::optional<std::vector<std::string>> test_labels = {};
    std::optional<double> test_fraction = {};  ///< of images, drawn by split_seed to test on, in (0, 1)
    std::uint64_t split_seed = 1;              ///< also draws what validation_fraction takes
    ImageLayout layout = ImageLayout::channels_first;  ///< of arrays of four dimensions
    std::optional<double> scale = {};          ///< each value times this; absent: 1/255 for bytes, else 1
    std::optional<std::int64_t> classes = {};  ///< absent: one more than the largest label
    bool operator==(const NpySpec&) const = default;
};

struct DatasetSpec {
    std::string name;
    std::optional<std::int64_t> train_examples;  ///< the first so many; all where absent
    std::optional<std::int64_t> test_examples;
    double validation_fraction =
        0.0;  ///< of the training examples, in [0, 1): the last ones, or drawn where npy is there
    bool subtract_mean = false;  ///< from every example, the mean of all that are trained on, value by value
    std::optional<NpySpec> npy = {};  ///< there exactly where the name is npy_dataset
    bool operator==(const DatasetSpec&) const = default;
};

}  // namespace convoy
