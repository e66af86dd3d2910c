#include <cmath>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"
#include "kernels/xtensor/windows.hpp"

/// Poolings, plane by plane: x and dx are N,C,H,W, y and dy N,C,OH,OW, here with N and C as one axis of
/// planes.
namespace convoy::plain {
namespace {

/// N,C,H,W as (N C),(H W).
template <typename Scalar>
auto planes(const Tensor<Scalar>& tensor) {
    return view_as(tensor.values.data(),
                   std::array{static_cast<std::size_t>(tensor.shape[0] * tensor.shape[1]),
                              static_cast<std::size_t>(tensor.shape[2] * tensor.shape[3])});
}

/// Calls visit(result, pixel), both positions in a plane, for every pixel of every window of one plane.
template <typename Scalar, typename Visit>
void for_each_pooled(const WindowAttributes& window, const Tensor<Scalar>& x, const Tensor<Scalar>& y,
                     Visit&& visit) {
    const auto width = static_cast<std::size_t>(x.shape[3]);
    for_each_window(window, x.shape[2], x.shape[3], y.shape[2], y.shape[3],
                    [&](std::size_t result, const Tap& tap) { visit(result, tap.row * width + tap.column); });
}

/// y: the largest pixel of every window. argmax N,C,OH,OW: its position in its plane; the first of equals
/// wins, and a pixel that is not a number wins over all, so that it does not vanish.
template <typename Scalar>
void max_pool(const Tensor<Scalar>& x, const WindowAttributes& window, const Tensor<Scalar>& y,
              Integers argmax) {
    const auto pixels = planes(x);
    auto maxima = planes(y);
    const auto results = maxima.shape(1);
    std::ranges::fill(argmax, -1);
    for (std::size_t plane = 0; plane < pixels.shape(0); ++plane) {
        for_each_pooled(window, x, y, [&](std::size_t result, std::size_t pixel) {
            const auto value = pixels(plane, pixel);
            auto& winner = argmax[plane * results + result];
            if (winner >= 0 && !(value > maxima(plane, result)) && !std::isnan(value)) return;
            maxima(plane, result) = value;
            winner = static_cast<std::int32_t>(pixel);
        });
    }
}

/// dx: every pixel gets the gradients of the windows that it won.
template <typename Scalar>
void max_pool_grad(const Tensor<Scalar>& dy, Integers argmax, const Tensor<Scalar>& dx) {
    flat(dx).fill(Scalar{0});
    const auto gradient = planes(dy);
    auto pixels = planes(dx);
    for (std::size_t plane = 0; plane < gradient.shape(0); ++plane) {
        for (std::size_t result = 0; result < gradient.shape(1); ++result) {
            const auto winner = static_cast<std::size_t>(argmax[plane * gradient.shape(1) + result]);
            pixels(plane, winner) += gradient(plane, result);
        }
    }
}

/// How many pixels each window of a plane covers (OH OW): fewer than its size at the borders.
template <typename Scalar>
xt::xtensor<Scalar, 1> covered_pixels(const WindowAttributes& window, const Tensor<Scalar>& x,
                                      const Tensor<Scalar>& y) {
    xt::xtensor<Scalar, 1> count = xt::zeros<Scalar>({static_cast<std::size_t>(y.shape[2] * y.shape[3])});
    for_each_pooled(window, x, y, [&](std::size_t result, std::size_t) { count(result) += Scalar{1}; });
    return count;
}

/// y: the mean of every window's pixels.
template <typename Scalar>
void average_pool(const Tensor<Scalar>& x, const WindowAttributes& window, const Tensor<Scalar>& y) {
    flat(y).fill(Scalar{0});
    const auto pixels = planes(x);
    auto means = planes(y);
    const auto count = covered_pixels(window, x, y);
    for (std::size_t plane = 0; plane < pixels.shape(0); ++plane) {
        for_each_pooled(window, x, y, [&](std::size_t result, std::size_t pixel) {
            means(plane, result) += pixels(plane, pixel) / count(result);
        });
    }
}

/// dx: every pixel gets its share of the gradients of the windows that it is in.
template <typename Scalar>
void average_pool_grad(const Tensor<Scalar>& dy, const WindowAttributes& window, const Tensor<Scalar>& dx) {
    flat(dx).fill(Scalar{0});
    const auto gradient = planes(dy);
    auto pixels = planes(dx);
    const auto count = covered_pixels(window, dx, dy);
    for (std::size_t plane = 0; plane < gradient.shape(0); ++plane) {
        for_each_pooled(window, dx, dy, [&](std::size_t result, std::size_t pixel) {
            pixels(plane, pixel) += gradient(plane, result) / count(result);
        });
    }
}

}  // namespace

template <typename Scalar>
Run bind_pooling(const Operator& op, const Memory<Scalar>& memory) {
    const auto operand = [&] { return memory.tensor(op.inputs.at(0)); };
    const auto result = [&] { return memory.tensor(op.outputs.at(0)); };
    switch (op.kind) {
        case OperatorKind::max_pool:
            return [x = operand(), window = op.as<WindowAttributes>(), y = result(),
                    argmax = memory.integers(op.outputs.at(1))](const StepContext&) {
                max_pool(x, window, y, argmax);
            };
        case OperatorKind::max_pool_grad:
            return [dy = operand(), argmax = memory.integers(op.inputs.at(1)),
                    dx = result()](const StepContext&) { max_pool_grad(dy, argmax, dx); };
        case OperatorKind::average_pool:
            return [x = operand(), window = op.as<WindowAttributes>(), y = result()](const StepContext&) {
                average_pool(x, window, y);
            };
        case OperatorKind::average_pool_grad:
            return [dy = operand(), window = op.as<WindowAttributes>(), dx = result()](const StepContext&) {
                average_pool_grad(dy, window, dx);
            };
        default: return {};
    }
}

template Run bind_pooling(const Operator&, const Memory<float>&);
template Run bind_pooling(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
