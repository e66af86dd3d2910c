#pragma once

#include <cstdint>
#include <limits>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Whether training should end, told from the validation loss of each epoch alone. All ranks that see the
/// same losses decide the same.
class EarlyStopping {
  public:
    explicit EarlyStopping(const EarlyStoppingSpec& spec) : spec_(spec) {}

    /// Notes one epoch's loss. True once `patience` epochs in a row brought no improvement over the best.
    [[nodiscard]] bool ends_after(double validation_loss);

  private:
    EarlyStoppingSpec spec_;
    double best_ = std::numeric_limits<double>::infinity();
    std::int64_t epochs_without_ = 0;
};

}  // namespace convoy
