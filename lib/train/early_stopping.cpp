#include "train/early_stopping.hpp"

namespace convoy {

bool EarlyStopping::ends_after(double validation_loss) {
    if (!spec_.patience) return false;
    const bool improved = validation_loss < best_ - spec_.min_improvement;
    if (improved || validation_loss < best_) best_ = validation_loss;
    epochs_without_ = improved ? 0 : epochs_without_ + 1;
    return epochs_without_ >= *spec_.patience;
}

}  // namespace convoy
