#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/table.hpp"

namespace convoy {

/// A cell in the form for people.
struct SheetCell {
    std::string text;
    bool note = false;    ///< the text says why there is no value
    bool absent = false;  ///< there is no value
    /// Set if the column has shares: the length of a bar, in per cent.
    std::optional<double> share_pct;
};

/// The part of a table for people, as texts.
struct Sheet {
    std::vector<const Column*> columns;  ///< columns of the table, which must outlive this object
    std::vector<std::string> header;
    std::vector<std::vector<SheetCell>> rows;  ///< each as long as columns
};

/// A number as people read it, without its unit: "-" if it is not finite, with an exponent ("1.44072e+21") if
/// it is too long otherwise.
std::string figure_text(double value, const Shown& shown);

/// Makes the sheet of a table. It has no columns that are for scripts only. Numbers have the unit and the
/// digits of their column.
Sheet sheet_for_people(const Table& table);

}  // namespace convoy
