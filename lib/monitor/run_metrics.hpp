#pragma once

#include <span>
#include <string>
#include <vector>

#include "monitor/exposition.hpp"
#include "monitor/run_figures.hpp"

namespace convoy {

/// Where a run is, as a whole.
enum class RunStage : std::uint8_t {
    begun,        ///< its nodes have the phases of a node's job
    done,         ///< its run folder is written
    interrupted,  ///< the user ended it
    failed
};

/// What a run is called.
struct RunLabels {
    std::string run;  ///< the name of its folder, without the folders above it
    std::string run_id, name, version;
    double start_time_s = 0.0;  ///< since 1970
};

/// All metrics of a run, in the order of METRICS.md.
std::span<const MetricInfo> metric_list();

/// The metrics of a run (METRICS.md).
std::vector<MetricFamily> run_metrics(const RunFigures& figures, const RunLabels& labels, RunStage stage);

/// As text for Prometheus, with the label `run`.
std::string run_metrics_text(const RunFigures& figures, const RunLabels& labels, RunStage stage);

}  // namespace convoy
