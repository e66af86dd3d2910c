#pragma once

#include "support/written_run.hpp"

namespace convoy {

/// A small run of two nodes with figures that are easy to add up: one epoch of two steps, a fused
/// convolution, an exchange, and a test of ten examples. Every time fits the digits of the CSV files.
WholeRun example_run();

/// What reports show of it.
const RunResults& example_results();

}  // namespace convoy
