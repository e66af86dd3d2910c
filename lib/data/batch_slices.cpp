#include "data/batch_slices.hpp"

#include <algorithm>

namespace convoy {

Batch BatchSlices::next() {
    if (rest_.size() == 0) rest_ = batches_.next();
    if (rest_.size() == 0) return rest_;
    const auto row = rest_.values.size() / rest_.labels.size();
    const auto count = static_cast<std::size_t>(std::min(size_, rest_.size()));
    const Batch slice{.values = rest_.values.first(count * row),
                      .labels = rest_.labels.first(count),
                      .examples = rest_.examples.first(count),
                      .global_examples = rest_.global_examples};
    rest_ = {.values = rest_.values.subspan(count * row),
             .labels = rest_.labels.subspan(count),
             .examples = rest_.examples.subspan(count),
             .global_examples = rest_.global_examples};
    return slice;
}

}  // namespace convoy
