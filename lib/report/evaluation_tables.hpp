#pragma once

#include "measure/predictions.hpp"
#include "report/table.hpp"

namespace convoy {

/// Loss and accuracy over all examples.
Table score_table(const Evaluation& evaluation);
/// For each class: its examples, how many were found (accuracy, or recall), and how many of those named so
/// were right.
Table class_table(const Evaluation& evaluation);
/// Rows: labels. Columns: what was predicted.
Table confusion_table(const Evaluation& evaluation);
/// One row per example, in order.
Table predictions_table(const Evaluation& evaluation);

}  // namespace convoy
