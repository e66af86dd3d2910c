#pragma once

#include <cstdint>
#include <span>

#include "base/clock.hpp"

namespace convoy {

/// One node's share of one batch, ready for training. The source owns the memory; the spans are valid until
/// the next call of next(). A batch always has the numbers of its examples. Values and labels are empty if
/// the node does not read them.
struct Batch {
    /// N rows, normalised. A row has the inputs of one example side by side, each C,H,W. With one input, the
    /// shape is N,C,H,W.
    std::span<const float> values = {};
    std::span<const std::int32_t> labels = {};     ///< N
    std::span<const std::uint32_t> examples = {};  ///< N: index of each example in its dataset
    std::int64_t global_examples = 0;              ///< number of examples of this batch over all nodes
    /// The time in which next() decoded examples from their file, in the thread that called it.
    Clock::duration decoding = {};
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(examples.size()); }
};

/// Gives batches to the dataset operators of a program.
class BatchSource {
  public:
    BatchSource() = default;
    BatchSource(const BatchSource&) = delete;
    BatchSource& operator=(const BatchSource&) = delete;
    BatchSource(BatchSource&&) = delete;
    BatchSource& operator=(BatchSource&&) = delete;
    virtual ~BatchSource() = default;
    /// The next batch of this node. It may wait for a thread that prepares batches ahead. Throws the errors
    /// of this preparation.
    virtual Batch next() = 0;
};

}  // namespace convoy
