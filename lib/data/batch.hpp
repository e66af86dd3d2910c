#pragma once

#include <cstdint>
#include <span>

namespace convoy {

/// One node's share of one batch, ready to train on. The spans stay valid until the next batch is asked for.
struct Batch {
    /// N rows, normalised: the inputs of one example side by side, each C,H,W. One input is N,C,H,W.
    std::span<const float> values;
    std::span<const std::int32_t> labels;     ///< N
    std::span<const std::uint32_t> examples;  ///< N: index of each example in its dataset
    std::int64_t global_examples = 0;         ///< examples of this batch over all nodes
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

/// Where a program's Dataset operator gets its batches. next() may wait for a thread that prepares ahead.
class BatchSource {
  public:
    BatchSource() = default;
    BatchSource(const BatchSource&) = delete;
    BatchSource& operator=(const BatchSource&) = delete;
    BatchSource(BatchSource&&) = delete;
    BatchSource& operator=(BatchSource&&) = delete;
    virtual ~BatchSource() = default;
    /// The next batch of this node. Throws whatever went wrong in preparing it.
    virtual Batch next() = 0;
};

}  // namespace convoy
