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
/// Columns that some measures need beside them. A runs.csv without them has no figures of these measures.
inline constexpr std::string_view exposed_column = "exposed_us", train_time_column = "train_s",
                                  sent_column = "sent_bytes", memory_column = "peak_resident_bytes",
                                  accuracy_column = "test_accuracy";
inline constexpr std::array<std::string_view, 5> further_columns{exposed_column, train_time_column,
                                                                 sent_column, memory_column, accuracy_column};

/// Chooses what figures show: throughput, speed-up and efficiency if x is the number of nodes, throughput if
/// nodes vary in another way, else the step time. Without a numeric x, where settings are rows: the step
/// time, exposed communication, bytes sent, memory and accuracy, those that the runs have.
std::vector<SweepMeasure> measures_of(const SweepRows& sweep, const SweepAxes& axes);

}  // namespace convoy
