#pragma once

#include "measure/predictions.hpp"
#include "report/table.hpp"

namespace convoy {

/// Loss and accuracy over all examples.
Table score_table(const Evaluation& evaluation);
/// For each class: the number of its examples, the recall (accuracy), and the precision.
Table class_table(const Evaluation& evaluation);
/// Rows are labels, columns are predicted classes.
Table confusion_table(const Evaluation& evaluation);
/// One row per example, in order.
Table predictions_table(const Evaluation& evaluation);

}  // namespace convoy
