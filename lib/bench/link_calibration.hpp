#pragma once

#include <vector>

#include "bench/all_reduce_calibration.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// Measures the links of a spec's nodes: between each two hosts that have nodes, and within each host that
/// has several nodes. With more than six such hosts, it measures only each host with the next one, and the
/// last with the first. For a link, two nodes exchange small and large buffers, in both directions at the
/// same time. Throws the errors of `measure`.
std::vector<LinkCalibration> calibrate_links(const ExperimentSpec& spec, const MeasureAllReduce& measure);

}  // namespace convoy
