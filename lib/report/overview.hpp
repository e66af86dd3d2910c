#pragma once

#include <string>
#include <vector>

#include "report/run_record.hpp"
#include "report/table.hpp"
#include "report/text_table.hpp"

namespace convoy {

/// The tables of a run's overview: its result, its phases, its last epochs, and the kinds of operators
/// with the longest times in training.
std::vector<Table> overview(const RunResults& results);

/// Lines that stand below the tables: what unequal shares brought, and whether the times can be trusted. Each
/// ends in a line feed.
std::string lines_below(const RunResults& results);

/// The overview as text, with these lines below it.
std::string overview_text(const RunResults& results, const TextStyle& style);

/// The overview as Markdown, for report.md.
std::string overview_markdown(const RunResults& results);

}  // namespace convoy
