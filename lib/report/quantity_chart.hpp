#pragma once

#include "chart/chart.hpp"
#include "measure/predictions.hpp"

namespace convoy {

/// A scatter of the true against the predicted quantity of each example, with the line where both are equal
/// and the bounds of outliers: at most 4000 examples, evenly taken. The evaluation must have a scale; the
/// predicted value is the centre of the predicted label's bin.
XyChart quantity_chart(const Evaluation& evaluation);

}  // namespace convoy
