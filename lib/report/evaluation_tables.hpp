#pragma once

#include "measure/predictions.hpp"
#include "report/table.hpp"

namespace convoy {

/// Accuracy and loss over all examples; the mean of the accuracies of the classes that have examples; and
/// kappa, the agreement of labels and predictions beyond chance (Cohen, "A coefficient of agreement for
/// nominal scales", 1960), absent where chance alone would agree on each example.
Table score_table(const Evaluation& evaluation);
/// For each class: the number of its examples, the recall (accuracy), and the precision.
Table class_table(const Evaluation& evaluation);
/// Rows are labels, columns are predicted classes.
Table confusion_table(const Evaluation& evaluation);
/// The errors of a quantity whose bins the labels are: |predicted - true|, its mean and median, and the
/// outliers with the rule that makes them so. The predicted value is the centre of the predicted label's bin.
/// No rows if the evaluation has no scale.
Table quantity_table(const Evaluation& evaluation);
/// One row per example, in order. With a scale, columns QUANTITY and predicted_QUANTITY stand behind the
/// others.
Table predictions_table(const Evaluation& evaluation);

}  // namespace convoy
