#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

/// The prediction of a network for one example.
struct Prediction {
    std::uint32_t example = 0;  ///< index in its split
    std::int32_t label = 0;
    std::int32_t predicted = 0;
    double probability = 0.0;  ///< probability of the predicted class
    bool operator==(const Prediction&) const = default;
};

/// The predictions of a network for a whole split of the dataset.
struct Evaluation {
    std::int64_t classes = 0;
    double loss = 0.0;  ///< mean cross-entropy per example
    std::vector<Prediction> predictions;
    bool operator==(const Evaluation&) const = default;
};

}  // namespace convoy
