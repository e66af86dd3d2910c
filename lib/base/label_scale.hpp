#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace convoy {

/// The labels of a dataset as equal bins of a quantity: label k stands for the values from first + k width up
/// to the next bin. A prediction is an outlier if |predicted - true| / (outlier_offset + true) is above
/// outlier_bound. The defaults are the rule for redshifts: |dz| / (1 + z) > 0.15 (Hildebrandt et al., A&A
/// 523, 2010).
struct LabelScale {
    std::string quantity;
    double first = 0.0;
    double width = 1.0;
    double outlier_bound = 0.15;
    double outlier_offset = 1.0;

    /// The value in the middle of a label's bin.
    [[nodiscard]] double centre(std::int32_t label) const { return first + (label + 0.5) * width; }
    [[nodiscard]] bool is_outlier(double truth, double predicted) const {
        return std::abs(predicted - truth) > outlier_bound * std::abs(outlier_offset + truth);
    }
    bool operator==(const LabelScale&) const = default;
};

}  // namespace convoy
