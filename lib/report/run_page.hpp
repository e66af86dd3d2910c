#pragma once

#include <string>

#include "report/gnuplot.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// Makes report.html: figures of a run's curves, operators and samples, and its tables, its environment and
/// its spec. spec, environment: JSON texts.
std::string run_page(const RunResults& results, const std::string& spec, const std::string& environment,
                     const Gnuplot& gnuplot);

/// A JSON text as a table of one row, with one column for each value: "cpu model", "nodes 0 host".
Table facts_of_json(std::string title, const std::string& text);

}  // namespace convoy
