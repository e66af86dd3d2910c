#pragma once

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The peak speed of this machine with this number of threads, in GFLOP/s: the fastest of some matrix
/// products of oneDNN, 1024 wide, in this type. The speeds of operators are compared with it. The measurement
/// takes about 0.3 s.
double measured_peak_gflops(ComputeType type, int threads);

}  // namespace convoy
