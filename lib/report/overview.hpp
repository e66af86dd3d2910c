#pragma once

#include <string>
#include <vector>

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// The tables that say in short how a run went: its result, phases, last epochs, and the operators that took
/// longest in training.
std::vector<Table> overview(const RunResults& results);

/// The overview as report.md has it.
std::string overview_markdown(const RunResults& results);

}  // namespace convoy
