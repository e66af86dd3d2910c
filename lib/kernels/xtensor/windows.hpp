#pragma once

#include <cstdint>

#include "graph/operator.hpp"

namespace convoy::plain {

/// A cell of a window, and the pixel of the image under it.
struct Tap {
    std::size_t cell;         ///< position in the window, row by row
    std::size_t row, column;  ///< position in the image
};

/// Calls visit(Tap) for each cell of the window of result (row, column), row by row. Cells in the padding
/// around an image of height x width are left out.
template <typename Visit>
void for_each_tap(const WindowAttributes& window, std::int64_t height, std::int64_t width, std::int64_t row,
                  std::int64_t column, Visit&& visit) {
    for (std::int64_t i = 0; i < window.size[0]; ++i) {
        const auto y = row * window.stride[0] - window.padding_before[0] + i;
        if (y < 0 || y >= height) continue;
        for (std::int64_t j = 0; j < window.size[1]; ++j) {
            const auto x = column * window.stride[1] - window.padding_before[1] + j;
            if (x < 0 || x >= width) continue;
            visit(Tap{static_cast<std::size_t>(i * window.size[1] + j), static_cast<std::size_t>(y),
                      static_cast<std::size_t>(x)});
        }
    }
}

/// Calls visit(result, Tap) for all windows over an image of height x width. There are out_height x out_width
/// results, in row-major order; `result` is the position in this order.
template <typename Visit>
void for_each_window(const WindowAttributes& window, std::int64_t height, std::int64_t width,
                     std::int64_t out_height, std::int64_t out_width, Visit&& visit) {
    for (std::int64_t row = 0; row < out_height; ++row) {
        for (std::int64_t column = 0; column < out_width; ++column) {
            const auto result = static_cast<std::size_t>(row * out_width + column);
            for_each_tap(window, height, width, row, column, [&](const Tap& tap) { visit(result, tap); });
        }
    }
}

}  // namespace convoy::plain
