#include "train/early_stopping.hpp"

namespace convoy {

bool EarlyStopping::ends_after(double validation_loss) {
    if (!spec_.patience) return false;
    auto& [best, epochs_without] = history_;
    const bool improved = validation_loss < best - spec_.min_improvement;
    if (improved) best = validation_loss;
    epochs_without = improved ? 0 : epochs_without + 1;
    return epochs_without >= *spec_.patience;
}

}  // namespace convoy
