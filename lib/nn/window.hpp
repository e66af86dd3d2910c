#pragma once

#include <cstdint>
#include <optional>

#include "graph/operator.hpp"
#include "spec/model_spec.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// Where a square window of this size and stride goes over C,H,W. Same padding is TensorFlow's: ceil(extent /
/// stride) results, the odd row of padding behind. Absent where the window is larger than its padded input.
std::optional<WindowAttributes> place_window(const Shape& input, std::int64_t size, std::int64_t stride,
                                             Padding padding);

/// H and W of the result of a window over C,H,W, with `channels` of its own.
Shape window_output(const Shape& input, const WindowAttributes& window, std::int64_t channels);

}  // namespace convoy
