#pragma once

#include <array>
#include <cstddef>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include "kernels/xtensor/tensor.hpp"

/// Tensors as xtensor views with the number of axes that an operator needs. This header is slow to compile;
/// only the sources of this folder include it.
namespace convoy::plain {

/// A view with extents of the caller. Their product must be the tensor's number of elements.
template <typename Scalar, std::size_t Rank>
auto view_as(Scalar* values, const std::array<std::size_t, Rank>& extents) {
    std::size_t elements = 1;
    for (const auto extent : extents) elements *= extent;
    return xt::adapt(values, elements, xt::no_ownership(), extents);
}

/// A view of all elements as one axis.
template <typename Scalar>
auto flat(const Tensor<Scalar>& tensor) {
    return view_as(tensor.values.data(), std::array{tensor.values.size()});
}

/// The first axis as rows, all others as columns: N,F or O,(I,H,W).
template <typename Scalar>
auto matrix(const Tensor<Scalar>& tensor) {
    const auto rows = static_cast<std::size_t>(tensor.shape[0]);
    std::size_t columns = 1;
    for (std::size_t axis = 1; axis < tensor.shape.rank(); ++axis) {
        columns *= static_cast<std::size_t>(tensor.shape[axis]);
    }
    return view_as(tensor.values.data(), std::array{rows, columns});
}

/// N,C,H,W.
template <typename Scalar>
auto images(const Tensor<Scalar>& tensor) {
    std::array<std::size_t, 4> extents{};
    for (std::size_t axis = 0; axis < 4; ++axis) extents[axis] = static_cast<std::size_t>(tensor.shape[axis]);
    return view_as(tensor.values.data(), extents);
}

/// N,C,P: N,C,H,W with the pixels in a row, or N,F as N,F,1.
template <typename Scalar>
auto channels(const Tensor<Scalar>& tensor) {
    const auto n = static_cast<std::size_t>(tensor.shape[0]);
    const auto c = static_cast<std::size_t>(tensor.shape[1]);
    std::size_t pixels = 1;
    for (std::size_t axis = 2; axis < tensor.shape.rank(); ++axis) {
        pixels *= static_cast<std::size_t>(tensor.shape[axis]);
    }
    return view_as(tensor.values.data(), std::array{n, c, pixels});
}

}  // namespace convoy::plain
