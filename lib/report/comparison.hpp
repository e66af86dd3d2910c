#pragma once

#include "report/table.hpp"

namespace convoy {

/// Two tables of one kind side by side: the columns of words say which rows are the same thing, and every
/// column of figures becomes three, of a, of b, and a divided by b. Rows that only one of them has stay, with
/// the other's cells empty, as the ratio is where b is 0. A column `node`, `epoch` or `step` counts as words.
/// Rows are in a's order, then what only b has. Throws InternalError for tables of different columns.
Table compare(const Table& a, const Table& b);

}  // namespace convoy
