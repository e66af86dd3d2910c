#pragma once

#include "spec/experiment_spec.hpp"

namespace convoy {

/// What this machine's fastest product does with so many threads, in GFLOP/s: the best of some matrix
/// products of oneDNN, 1024 wide, in this type. What operators are measured against; it takes about 0.3 s.
double measured_peak_gflops(ComputeType type, int threads);

}  // namespace convoy
