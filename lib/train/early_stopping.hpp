#pragma once

#include "job/checkpoint.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Whether training should end, told from the validation loss of each epoch alone. All ranks that see the
/// same losses decide the same.
class EarlyStopping {
  public:
    /// history: what another process noted before.
    explicit EarlyStopping(const EarlyStoppingSpec& spec, const ValidationHistory& history = {})
        : spec_(spec), history_(history) {}

    /// Notes one epoch's loss. True once `patience` epochs in a row brought no improvement over the last one
    /// that counted: small gains add up until they are one.
    [[nodiscard]] bool ends_after(double validation_loss);
    [[nodiscard]] const ValidationHistory& history() const { return history_; }

  private:
    EarlyStoppingSpec spec_;
    ValidationHistory history_;
};

}  // namespace convoy
