#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/scaling.hpp"
#include "sweep/sweep_axes.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {

/// The line that a figure has beside the runs.
enum class IdealLine : std::uint8_t {
    none,
    grows,  ///< from 1 at the baseline, as the nodes do
    level,  ///< 100%
};

/// A quantity of which a sweep's page has a figure.
struct SweepMeasure {
    std::string name;         ///< letters and '_'
    std::string title;        ///< "Speed-up over 1 node"
    std::string description;  ///< one sentence
    std::string axis;         ///< with the unit: "examples/s"
    IdealLine ideal = IdealLine::none;
    std::vector<std::optional<double>> values;  ///< one for each row; absent if the run is not done
};

/// The columns of runs.csv that measures need.
inline constexpr std::string_view step_time_column = "step_p50_us";
inline constexpr std::array<std::string_view, 2> measured_columns{step_time_column, throughput_column};

/// Chooses what figures show: throughput, speed-up and efficiency if x is the number of nodes, throughput if
/// nodes vary in another way, else the step time.
std::vector<SweepMeasure> measures_of(const SweepRows& sweep, const SweepAxes& axes);

}  // namespace convoy
