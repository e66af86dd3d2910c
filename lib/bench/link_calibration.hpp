#pragma once

#include <vector>

#include "bench/all_reduce_calibration.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// Measures the links of a spec's nodes: between each two hosts that have nodes (each and its next one, and
/// the last and the first, where more than six have), and within each host that has several. One node on
/// either end exchanges whole buffers with the other, both ways at the same time, small ones and large ones.
/// Throws as measure does.
std::vector<LinkCalibration> calibrate_links(const ExperimentSpec& spec, const MeasureAllReduce& measure);

}  // namespace convoy
