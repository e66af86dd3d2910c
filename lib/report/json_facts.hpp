#pragma once

#include <string>

#include "report/table.hpp"

namespace convoy {

/// A JSON text as a table of one row, with one column for each value: "cpu model". Values of a list have the
/// number of their element: "nodes 0 host". Elements that differ in nothing but their `rank` and `pid` share
/// their columns: "nodes 0 to 3 host", with all their pids in one.
Table facts_of_json(std::string title, const std::string& text);

}  // namespace convoy
