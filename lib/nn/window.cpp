#include "nn/window.hpp"

#include <algorithm>

namespace convoy {

std::optional<WindowAttributes> place_window(const Shape& input, const Extents& size, const Extents& stride,
                                             Padding padding) {
    WindowAttributes window{.size = size, .stride = stride};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto extent = input[axis + 1];
        const auto step = stride.at(axis);
        if (padding == Padding::same) {
            const auto results = (extent + step - 1) / step;
            const auto missing = std::max<std::int64_t>((results - 1) * step + size.at(axis) - extent, 0);
            window.padding_before.at(axis) = missing / 2;
            window.padding_after.at(axis) = missing - missing / 2;
        } else if (extent < size.at(axis)) {
            return std::nullopt;
        }
    }
    return window;
}

Shape window_output(const Shape& input, const WindowAttributes& window, std::int64_t channels) {
    const auto extent = [&](std::size_t axis) {
        const auto padded = input[axis + 1] + window.padding_before.at(axis) + window.padding_after.at(axis);
        return (padded - window.size.at(axis)) / window.stride.at(axis) + 1;
    };
    return {channels, extent(0), extent(1)};
}

}  // namespace convoy
