#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "graph/operator.hpp"
#include "spec/model_spec.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// Rows and columns.
using Extents = std::array<std::int64_t, 2>;

/// The window attributes of a window with this size and stride over C,H,W. Same padding is as in
/// TensorFlow: there are ceil(extent / stride) results, and an odd row of padding is at the end. Absent if
/// the window is larger than its padded input.
std::optional<WindowAttributes> place_window(const Shape& input, const Extents& size, const Extents& stride,
                                             Padding padding);

/// The shape of a window's result: `channels`, and H and W of the window over C,H,W.
Shape window_output(const Shape& input, const WindowAttributes& window, std::int64_t channels);

}  // namespace convoy
