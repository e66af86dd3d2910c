#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spec/dataset_spec.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// A dataset of a user's own, for a new spec. Paths are as the spec has them.
struct OwnData {
    std::string images, labels;
    std::optional<std::string> test_images = {}, test_labels = {};  ///< both or none
    double test_fraction = 0.2;                                     ///< without test_images
    ImageLayout layout = ImageLayout::channels_first;
    Shape shape = {};  ///< of an example: C,H,W
    std::int64_t classes = 0;
    std::int64_t train_examples = 0, test_examples = 0;
};

/// A spec as text, with a comment for each section. name: of the run. data: the user's own; absent: digits
/// that convoy draws. The network fits the data. The text names every section of a spec; those that are not
/// needed are comments, and each of them is a spec's field if its `//` is taken away.
std::string spec_template(const std::string& name, const std::optional<OwnData>& data);

}  // namespace convoy
