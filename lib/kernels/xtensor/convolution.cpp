#include <xtensor-blas/xlinalg.hpp>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"
#include "kernels/xtensor/windows.hpp"

/// Convolutions as products: every window of an image becomes a column, so that a weight O,(I,KH,KW) times
/// the columns gives the result. Image by image; a batch is a loop.
namespace convoy::plain {
namespace {

template <typename Scalar>
using Matrix = xt::xtensor<Scalar, 2>;

/// The windows of image n of x (N,C,H,W) as columns (C KH KW, OH OW); cells in the padding are 0. like: a
/// tensor N,O,OH,OW, for the number of results.
template <typename Scalar>
Matrix<Scalar> columns_of(const Tensor<Scalar>& x, std::size_t n, const Tensor<Scalar>& like,
                          const WindowAttributes& window) {
    const auto pixels = images(x);
    const auto cells = static_cast<std::size_t>(window.size[0] * window.size[1]);
    const auto results = static_cast<std::size_t>(like.shape[2] * like.shape[3]);
    Matrix<Scalar> columns = xt::zeros<Scalar>({pixels.shape(1) * cells, results});
    for (std::size_t c = 0; c < pixels.shape(1); ++c) {
        for_each_window(window, x.shape[2], x.shape[3], like.shape[2], like.shape[3],
                        [&](std::size_t result, const Tap& tap) {
                            columns(c * cells + tap.cell, result) = pixels(n, c, tap.row, tap.column);
                        });
    }
    return columns;
}

/// The way back: image n of x becomes the sum of the columns' cells (C KH KW, OH OW) where they meet.
template <typename Scalar>
void add_columns_up(const Matrix<Scalar>& columns, const Tensor<Scalar>& like, const WindowAttributes& window,
                    const Tensor<Scalar>& x, std::size_t n) {
    auto pixels = images(x);
    const auto cells = static_cast<std::size_t>(window.size[0] * window.size[1]);
    for (std::size_t c = 0; c < pixels.shape(1); ++c) {
        for_each_window(window, x.shape[2], x.shape[3], like.shape[2], like.shape[3],
                        [&](std::size_t result, const Tap& tap) {
                            pixels(n, c, tap.row, tap.column) += columns(c * cells + tap.cell, result);
                        });
    }
}

/// Image n of y (N,O,OH,OW) as O,(OH OW).
template <typename Scalar>
auto image_matrix(const Tensor<Scalar>& y, std::size_t n) {
    const auto filters = static_cast<std::size_t>(y.shape[1]);
    const auto results = static_cast<std::size_t>(y.shape[2] * y.shape[3]);
    return view_as(y.values.data() + n * filters * results, std::array{filters, results});
}

/// x N,C,H,W; weight O,C,KH,KW -> y N,O,OH,OW
template <typename Scalar>
void conv2d(const Tensor<Scalar>& x, const Tensor<Scalar>& weight, const WindowAttributes& window,
            const Tensor<Scalar>& y) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.shape[0]); ++n) {
        auto result = image_matrix(y, n);
        xt::noalias(result) = xt::linalg::dot(matrix(weight), columns_of(x, n, y, window));
    }
}

/// x N,C,H,W; dy N,O,OH,OW -> dweight O,C,KH,KW
template <typename Scalar>
void conv2d_backprop_filter(const Tensor<Scalar>& x, const Tensor<Scalar>& dy, const WindowAttributes& window,
                            const Tensor<Scalar>& dweight) {
    auto sum = matrix(dweight);
    sum.fill(Scalar{0});
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.shape[0]); ++n) {
        const auto columns = columns_of(x, n, dy, window);
        xt::noalias(sum) += xt::linalg::dot(image_matrix(dy, n), xt::transpose(columns));
    }
}

/// weight O,C,KH,KW; dy N,O,OH,OW -> dx N,C,H,W
template <typename Scalar>
void conv2d_backprop_input(const Tensor<Scalar>& weight, const Tensor<Scalar>& dy,
                           const WindowAttributes& window, const Tensor<Scalar>& dx) {
    flat(dx).fill(Scalar{0});
    const auto kernel = matrix(weight);
    for (std::size_t n = 0; n < static_cast<std::size_t>(dx.shape[0]); ++n) {
        const Matrix<Scalar> columns = xt::linalg::dot(xt::transpose(kernel), image_matrix(dy, n));
        add_columns_up(columns, dy, window, dx, n);
    }
}

}  // namespace

template <typename Scalar>
Run bind_convolution(const Operator& op, const Memory<Scalar>& memory) {
    using Function = void (*)(const Tensor<Scalar>&, const Tensor<Scalar>&, const WindowAttributes&,
                              const Tensor<Scalar>&);
    Function function = nullptr;
    switch (op.kind) {
        case OperatorKind::conv2d: function = conv2d<Scalar>; break;
        case OperatorKind::conv2d_backprop_filter: function = conv2d_backprop_filter<Scalar>; break;
        case OperatorKind::conv2d_backprop_input: function = conv2d_backprop_input<Scalar>; break;
        default: return {};
    }
    return [function, a = memory.tensor(op.inputs.at(0)), b = memory.tensor(op.inputs.at(1)),
            window = op.as<WindowAttributes>(),
            result = memory.tensor(op.outputs.at(0))](const StepContext&) { function(a, b, window, result); };
}

template Run bind_convolution(const Operator&, const Memory<float>&);
template Run bind_convolution(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
