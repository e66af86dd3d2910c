#include <xtensor-blas/xlinalg.hpp>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"
#include "kernels/xtensor/windows.hpp"

/// Convolutions as products: every window of an image becomes a column, so that a weight O,(I,KH,KW) times
/// the columns gives the result. Image by image, and group by group: a batch is a loop.
namespace convoy::plain {
namespace {

template <typename Scalar>
using Matrix = xt::xtensor<Scalar, 2>;

/// The channels or filters of one group.
struct Group {
    std::size_t first, count;
};

/// Calls visit(channels, filters) for every group of a convolution from x to y.
template <typename Scalar, typename Visit>
void for_each_group(const WindowAttributes& window, const Tensor<Scalar>& x, const Tensor<Scalar>& y,
                    Visit&& visit) {
    const auto groups = static_cast<std::size_t>(window.groups);
    const auto channels = static_cast<std::size_t>(x.shape[1]) / groups;
    const auto filters = static_cast<std::size_t>(y.shape[1]) / groups;
    for (std::size_t g = 0; g < groups; ++g)
        visit(Group{g * channels, channels}, Group{g * filters, filters});
}

/// The windows over some channels of image n of x (N,C,H,W) as columns (channels KH KW, OH OW); cells in the
/// padding are 0. like: a tensor N,O,OH,OW, for the number of results.
template <typename Scalar>
Matrix<Scalar> columns_of(const Tensor<Scalar>& x, std::size_t n, const Group& channels,
                          const Tensor<Scalar>& like, const WindowAttributes& window) {
    const auto pixels = images(x);
    const auto cells = static_cast<std::size_t>(window.size[0] * window.size[1]);
    const auto results = static_cast<std::size_t>(like.shape[2] * like.shape[3]);
    Matrix<Scalar> columns = xt::zeros<Scalar>({channels.count * cells, results});
    for (std::size_t c = 0; c < channels.count; ++c) {
        for_each_window(window, x.shape[2], x.shape[3], like.shape[2], like.shape[3],
                        [&](std::size_t result, const Tap& tap) {
                            columns(c * cells + tap.cell, result) =
                                pixels(n, channels.first + c, tap.row, tap.column);
                        });
    }
    return columns;
}

/// The way back: these channels of image n of x become the sum of the columns' cells (channels KH KW, OH OW)
/// where they meet.
template <typename Scalar>
void add_columns_up(const Matrix<Scalar>& columns, const Group& channels, const Tensor<Scalar>& like,
                    const WindowAttributes& window, const Tensor<Scalar>& x, std::size_t n) {
    auto pixels = images(x);
    const auto cells = static_cast<std::size_t>(window.size[0] * window.size[1]);
    for (std::size_t c = 0; c < channels.count; ++c) {
        for_each_window(window, x.shape[2], x.shape[3], like.shape[2], like.shape[3],
                        [&](std::size_t result, const Tap& tap) {
                            pixels(n, channels.first + c, tap.row, tap.column) +=
                                columns(c * cells + tap.cell, result);
                        });
    }
}

/// Some filters of image n of y (N,O,OH,OW) as O,(OH OW).
template <typename Scalar>
auto image_matrix(const Tensor<Scalar>& y, std::size_t n, const Group& filters) {
    const auto all = static_cast<std::size_t>(y.shape[1]);
    const auto results = static_cast<std::size_t>(y.shape[2] * y.shape[3]);
    return view_as(y.values.data() + (n * all + filters.first) * results, std::array{filters.count, results});
}

/// The kernels of some filters as O,(I KH KW).
template <typename Scalar>
auto kernel_matrix(const Tensor<Scalar>& weight, const Group& filters) {
    const auto cells = weight.values.size() / static_cast<std::size_t>(weight.shape[0]);
    return view_as(weight.values.data() + filters.first * cells, std::array{filters.count, cells});
}

/// x N,C,H,W; weight O,I,KH,KW -> y N,O,OH,OW
template <typename Scalar>
void conv2d(const Tensor<Scalar>& x, const Tensor<Scalar>& weight, const WindowAttributes& window,
            const Tensor<Scalar>& y) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.shape[0]); ++n) {
        for_each_group(window, x, y, [&](const Group& channels, const Group& filters) {
            auto result = image_matrix(y, n, filters);
            xt::noalias(result) =
                xt::linalg::dot(kernel_matrix(weight, filters), columns_of(x, n, channels, y, window));
        });
    }
}

/// x N,C,H,W; dy N,O,OH,OW -> dweight O,I,KH,KW
template <typename Scalar>
void conv2d_backprop_filter(const Tensor<Scalar>& x, const Tensor<Scalar>& dy, const WindowAttributes& window,
                            const Tensor<Scalar>& dweight) {
    flat(dweight).fill(Scalar{0});
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.shape[0]); ++n) {
        for_each_group(window, x, dy, [&](const Group& channels, const Group& filters) {
            const auto columns = columns_of(x, n, channels, dy, window);
            auto sum = kernel_matrix(dweight, filters);
            xt::noalias(sum) += xt::linalg::dot(image_matrix(dy, n, filters), xt::transpose(columns));
        });
    }
}

/// weight O,I,KH,KW; dy N,O,OH,OW -> dx N,C,H,W
template <typename Scalar>
void conv2d_backprop_input(const Tensor<Scalar>& weight, const Tensor<Scalar>& dy,
                           const WindowAttributes& window, const Tensor<Scalar>& dx) {
    flat(dx).fill(Scalar{0});
    for (std::size_t n = 0; n < static_cast<std::size_t>(dx.shape[0]); ++n) {
        for_each_group(window, dx, dy, [&](const Group& channels, const Group& filters) {
            const auto kernels = kernel_matrix(weight, filters);
            const Matrix<Scalar> columns =
                xt::linalg::dot(xt::transpose(kernels), image_matrix(dy, n, filters));
            add_columns_up(columns, channels, dy, window, dx, n);
        });
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
