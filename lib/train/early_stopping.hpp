#pragma once

#include "job/checkpoint.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Decides whether training ends early. It uses only the validation loss of each epoch, so ranks with the
/// same losses decide the same.
class EarlyStopping {
  public:
    /// history: the state that another process saved.
    explicit EarlyStopping(const EarlyStoppingSpec& spec, const ValidationHistory& history = {})
        : spec_(spec), history_(history) {}

    /// Adds the loss of one epoch. Returns true after `patience` epochs in a row without an improvement. An
    /// epoch is an improvement if its loss is below the best loss by more than `min_improvement`. The best
    /// loss changes only with an improvement, so small gains add up until they are one.
    [[nodiscard]] bool ends_after(double validation_loss);
    [[nodiscard]] const ValidationHistory& history() const { return history_; }

  private:
    EarlyStoppingSpec spec_;
    ValidationHistory history_;
};

}  // namespace convoy
