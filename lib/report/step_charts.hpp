#pragma once

#include <vector>

#include "chart/chart.hpp"
#include "report/step_breakdown.hpp"
#include "report/step_time_line.hpp"

namespace convoy {

/// The colour of a part of the step, in all figures.
Tone tone_of_part(StepPart part);

/// The mean step of each node as a bar of its parts. Of many nodes: their mean, and those with the most work
/// of their own.
RowChart step_parts_chart(const StepBreakdown& breakdown);

/// The hidden and the exposed time of each exchange. Of many: the longest, and the others together.
RowChart exchanges_chart(const StepBreakdown& breakdown);

/// A step of all nodes. operators: of the run; they say to which part of the step an operator belongs. width:
/// that of the drawing; pieces that would be too narrow to be seen are drawn together.
RowChart time_line_chart(const StepTimeLine& line, const std::vector<OperatorRecord>& operators,
                         double width);

}  // namespace convoy
