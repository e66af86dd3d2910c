#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// Comma-separated values as RFC 4180 has them, except that lines that we write end in a line feed alone, as
/// all Unix tools expect. Our own reader and writer: Debian's fast-cpp-csv-parser knows no line breaks within
/// quotes and wants the number of columns at compile time, and libcsv is a C parser of callbacks that would
/// be longer to wrap than this is.
class CsvWriter {
  public:
    explicit CsvWriter(std::span<const std::string_view> header);

    CsvWriter& text(std::string_view value);
    CsvWriter& integer(std::int64_t value);
    CsvWriter& integer(std::uint64_t value);
    /// With so many digits after the point; an empty cell where the value is not finite.
    CsvWriter& fixed(double value, int decimals);
    /// With up to 9 significant digits, which tell any two floats apart; an empty cell where it is absent or
    /// not finite.
    CsvWriter& figure(const std::optional<double>& value);
    /// So many cells without a value.
    CsvWriter& empty(int cells = 1);
    void end_row();

    [[nodiscard]] const std::string& content() const { return content_; }

  private:
    std::string& next_cell();

    std::string content_;
    bool row_begun_ = false;
};

/// A CSV text taken apart, with the checks that a file from outside needs. Throws DataError, which names
/// source, line and column, where it is not well formed, a row has another number of cells than the header,
/// or a cell another type.
class CsvTable {
  public:
    CsvTable(std::string_view text, std::string source);

    [[nodiscard]] std::size_t rows() const { return rows_.size(); }
    /// The columns' names, in order.
    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// Position of a column; one that is missing is a DataError.
    [[nodiscard]] std::size_t column(std::string_view name) const;
    [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const {
        return rows_[row][column];
    }
    /// An integer of at least 0.
    [[nodiscard]] std::int64_t count(std::size_t row, std::size_t column) const;
    /// A finite number, absent where the cell is empty.
    [[nodiscard]] std::optional<double> figure(std::size_t row, std::size_t column) const;
    /// A finite number of at least 0.
    [[nodiscard]] double amount(std::size_t row, std::size_t column) const;
    [[noreturn]] void fail(std::size_t row, std::size_t column, std::string_view expected) const;

  private:
    std::string source_;
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> lines_;  ///< where each row begins
};

}  // namespace convoy
