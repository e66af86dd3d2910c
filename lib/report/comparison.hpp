#pragma once

#include "report/table.hpp"

namespace convoy {

/// Puts two tables of one kind side by side. Rows with the same words belong together. Each column of numbers
/// becomes three: the value of a, the value of b, and a / b. The columns `node`, `epoch` and `step` count as
/// words. A row in only one table stays; the cells of the other table are empty. A ratio is empty if b is 0.
/// The order is that of a; rows that only b has come last. Throws InternalError if the tables have different
/// columns.
Table compare(const Table& a, const Table& b);

}  // namespace convoy
