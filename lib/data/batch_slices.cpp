#include "data/batch_slices.hpp"

#include <algorithm>

namespace convoy {

Batch BatchSlices::next() {
    if (rest_.size() == 0) rest_ = batches_.next();
    if (rest_.size() == 0) return rest_;
    const auto examples = rest_.examples.size();
    const auto count = static_cast<std::size_t>(std::min(size_, rest_.size()));
    const auto values = count * (rest_.values.size() / examples);
    const auto labels = count * (rest_.labels.size() / examples);
    const Batch slice{.values = rest_.values.first(values),
                      .labels = rest_.labels.first(labels),
                      .examples = rest_.examples.first(count),
                      .global_examples = rest_.global_examples,
                      .decoding = rest_.decoding};  // of all slices, and the first tells it
    rest_ = {.values = rest_.values.subspan(values),
             .labels = rest_.labels.subspan(labels),
             .examples = rest_.examples.subspan(count),
             .global_examples = rest_.global_examples};
    return slice;
}

}  // namespace convoy
