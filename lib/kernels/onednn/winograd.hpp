#pragma once

#include <optional>

#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/winograd_loops.hpp"

namespace convoy::onednn {

/// The tiles with which Winograd's algorithm computes a convolution of x (N,C,H,W) into y: where kernels are
/// 3 x 3, the stride is 1, there is one group, both channels are a multiple of 16 from 32 up, and at most
/// half the products of a direct convolution are left, forward and for the gradient of x. A map of 2 x 2 with
/// padding has tiles of its own. The rule knows neither the number of examples nor of threads, so a result
/// has the same bits beside any others.
std::optional<winograd::Tile> winograd_tile(const WindowAttributes& window, const Shape& x, const Shape& y);

/// The convolution as the own loops compute it; absent where they do not compute it: for the reasons of
/// winograd_tile and of own_loops_suit (with AVX-512 it has Winograd's algorithm itself), and with direct
/// convolutions in the spec.
std::optional<winograd::Geometry> own_winograd(const Planner& planner, const WindowAttributes& window,
                                               TensorId x, TensorId y);

/// The layout that own_winograd reads and writes its kernels in.
Layout winograd_weight_layout(const Shape& weight);

// Each plans one operator whose convolution own_winograd gives.
void plan_winograd(Planner& planner, const Operator& op, const winograd::Geometry& geometry);
void plan_winograd_input_gradient(Planner& planner, const Operator& op, const winograd::Geometry& geometry);
void plan_winograd_filter_gradient(Planner& planner, const Operator& op, const winograd::Geometry& geometry);

}  // namespace convoy::onednn
