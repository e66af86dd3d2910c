#pragma once

#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The last pass over every program, when the strategy has put its exchanges in place: a start with its wait
/// right behind it becomes one exchange, operators are fused, and batch normalisations computed again, as the
/// kernels' options say.
void tune(Program& program, const KernelSpec& kernels);

}  // namespace convoy
