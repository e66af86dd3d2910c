#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/label_scale.hpp"

namespace convoy {

/// The prediction of a network for one example.
struct Prediction {
    std::uint32_t example = 0;  ///< index in its split
    std::int32_t label = 0;
    std::int32_t predicted = 0;
    double probability = 0.0;  ///< probability of the predicted class
    double quantity = 0.0;     ///< true value of the scale's quantity; 0 if there is no scale
    bool operator==(const Prediction&) const = default;
};

/// The predictions of a network for a whole split of the dataset.
struct Evaluation {
    std::int64_t classes = 0;
    double loss = 0.0;  ///< mean cross-entropy per example
    std::vector<Prediction> predictions;
    std::optional<LabelScale> scale = {};  ///< set if labels are bins of a quantity
    bool operator==(const Evaluation&) const = default;
};

}  // namespace convoy
