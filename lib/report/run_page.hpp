#pragma once

#include <optional>
#include <string>

#include "report/run_record.hpp"
#include "report/step_time_line.hpp"

namespace convoy {

/// Makes report.html: what ran and what limited it, figures, tables, environment and spec of a run. spec,
/// environment: JSON texts. time_line: absent if no step was traced.
std::string run_page(const RunResults& results, const std::string& spec, const std::string& environment,
                     const std::optional<StepTimeLine>& time_line);

}  // namespace convoy
