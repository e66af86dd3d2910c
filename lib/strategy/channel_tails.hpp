#pragma once

#include <map>
#include <set>
#include <vector>

#include "graph/operator.hpp"

namespace convoy {

/// The operators behind a convolution that work on each channel alone: bias, activation, pooling. A rank that
/// has some channels of the convolution's result can run them on these.
struct ChannelTail {
    std::vector<const Operator*> forward;   ///< in order; the last one's first result leaves the tail
    std::vector<const Operator*> backward;  ///< their gradients, from the last one's to the bias's
    TensorId result{};                      ///< of the tail; the convolution's own if there is no tail
    /// The gradient of `result`. In a program without a backward pass it is no tensor.
    TensorId result_gradient{};
};

/// Finds the tails of convolutions in a list of operators, forward or forward and backward, unfused. It
/// refers to the list.
class ChannelTails {
  public:
    explicit ChannelTails(const std::vector<Operator>& operators);

    /// The longest tail of a convolution of which no other operator reads a result in between or a gradient
    /// in between.
    [[nodiscard]] ChannelTail of(const Operator& convolution) const;

  private:
    using Readers = std::vector<const Operator*>;

    [[nodiscard]] const Readers& readers(TensorId id) const;
    [[nodiscard]] const Operator* writer(TensorId id) const;
    /// The only operator of the forward pass that reads a tensor. Null if there are others, or none.
    [[nodiscard]] const Operator* next_forward(TensorId id) const;
    [[nodiscard]] bool extend(ChannelTail& tail, std::set<const Operator*>& known) const;

    std::map<TensorId, Readers> readers_;
    std::map<TensorId, const Operator*> writers_;
};

}  // namespace convoy
