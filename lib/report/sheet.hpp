#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/table.hpp"

namespace convoy {

/// A cell as people see it.
struct SheetCell {
    std::string text;
    bool note = false;                ///< says why there is no figure
    bool absent = false;              ///< there is none
    std::optional<double> share_pct;  ///< where the column is one of shares: what a bar may show
};

/// The part of a table that people see, as texts.
struct Sheet {
    std::vector<const Column*> columns;  ///< of the table, which must outlive this
    std::vector<std::string> header;
    std::vector<std::vector<SheetCell>> rows;  ///< each as long as columns
};

/// Without the columns that are for scripts only; figures with the unit and the digits that their column
/// shows.
Sheet sheet_for_people(const Table& table);

}  // namespace convoy
