#include "data/batch_slices.hpp"

#include <algorithm>

namespace convoy {

Batch BatchSlices::next() {
    if (rest_.size() == 0) rest_ = batches_.next();
    if (rest_.size() == 0) return rest_;
    const auto values = rest_.images.size() / rest_.labels.size();
    const auto count = static_cast<std::size_t>(std::min(size_, rest_.size()));
    const Batch slice{.images = rest_.images.first(count * values),
                      .labels = rest_.labels.first(count),
                      .examples = rest_.examples.first(count),
                      .global_examples = rest_.global_examples};
    rest_ = {.images = rest_.images.subspan(count * values),
             .labels = rest_.labels.subspan(count),
             .examples = rest_.examples.subspan(count),
             .global_examples = rest_.global_examples};
    return slice;
}

}  // namespace convoy
