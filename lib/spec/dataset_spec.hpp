#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/example_shape.hpp"

namespace convoy {

/// The name of a dataset that is the user's own NPY files; `DatasetSpec::npy` says which.
inline constexpr std::string_view npy_dataset = "npy";

/// How the axes of images of three extents stand in a file: channels before the pixels, or behind each.
enum class ImageLayout { channels_first, channels_last };

/// One input of a dataset in NPY files.
struct NpyInput {
    std::string name = std::string(images_input);
    std::vector<std::string> files = {};                      ///< one behind the other
    std::optional<std::vector<std::string>> test_files = {};  ///< split by file; absent: by test_fraction
    ImageLayout layout = ImageLayout::channels_first;         ///< of arrays of four dimensions
    std::optional<double> scale = {};  ///< each value times this; absent: 1/255 for bytes, else 1
    bool operator==(const NpyInput&) const = default;
};

/// A dataset in NPY files (lib/data/NPY.md). A relative path is one in the data folder.
struct NpySpec {
    std::vector<NpyInput> inputs = {NpyInput{}};  ///< in the order of their names; all hold the same examples
    std::vector<std::string> labels = {};         ///< one file behind the other
    std::optional<std::vector<std::string>> test_labels = {};
    std::optional<double> test_fraction = {};  ///< of examples, drawn by split_seed to test on, in (0, 1)
    std::uint64_t split_seed = 1;              ///< also draws what validation_fraction takes
    std::optional<std::int64_t> classes = {};  ///< absent: one more than the largest label
    /// Whether inputs have names of their own.
    [[nodiscard]] bool named() const { return inputs.size() != 1 || inputs.front().name != images_input; }
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
