#pragma once

#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/planner.hpp"

namespace convoy::onednn {

/// The passes of a convolution that the loops of direct_loops.hpp compute. oneDNN computes the others.
struct OwnPasses {
    bool forward = false;
    bool input_gradient = false;
    bool filter_gradient = false;
    bool operator==(const OwnPasses&) const = default;
};

/// The passes in which the own loops are faster than oneDNN with AVX2. Where the channels of the source are
/// no multiple of 8, oneDNN copies windows or fills the channels up. Where they are, the own loops are faster
/// for the gradient of kernels of 1024 values or more only. Convolutions with several groups and with kernels
/// of 1x1 are oneDNN's: a kernel of 1x1 has no windows to copy. The rule knows neither the number of examples
/// nor of threads, so a result has the same bits beside any other examples.
OwnPasses own_passes(const WindowAttributes& window, std::int64_t source_channels,
                     std::int64_t result_channels);

/// The same for a convolution of x (N,C,H,W) into y. None where own_loops_suit says no.
OwnPasses own_passes(const Planner& planner, const WindowAttributes& window, TensorId x, TensorId y);

// Each plans one operator whose pass own_passes gives.
void plan_own_convolution(Planner& planner, const Operator& op);
/// source: the format of the gradient.
void plan_own_input_gradient(Planner& planner, const Operator& op, const Desc& source);
void plan_own_filter_gradient(Planner& planner, const Operator& op);

}  // namespace convoy::onednn
