#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

/// One published figure.
struct PublishedFigure {
    std::string table;       ///< its number, as in "5.10"
    std::string experiment;  ///< empty: of all
    std::string row;         ///< the operator or the place; else the quantity
    std::string system;      ///< "A", or "A/B" of a ratio; empty: of all
    std::string quantity, unit;
    std::optional<std::int64_t> batch_size = {};  ///< absent: one figure for all
    std::optional<double> value = {};             ///< absent: it is no number
};

/// Reads one CSV file of published figures; REPLICATION.md has its columns. Nothing of a file that lacks the
/// columns system, quantity and value, as one that describes machines does. source: its name in errors.
/// Throws DataError if the text is damaged or has too many rows.
std::vector<PublishedFigure> read_published_csv(std::istream& text, const std::string& source);

/// All CSV files of a folder, by name. Throws MissingFileError if the folder cannot be read or has none.
std::vector<PublishedFigure> read_published(const std::filesystem::path& folder);

}  // namespace convoy
