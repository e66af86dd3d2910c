#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// Writes comma-separated values of RFC 4180; but lines end in a single line feed, as Unix tools expect.
/// Reader and writer are written by hand. Debian's fast-cpp-csv-parser does not accept line breaks in quotes
/// and needs the number of columns at compile time. libcsv is a C parser with callbacks; a wrapper would be
/// longer than this code.
class CsvWriter {
  public:
    /// Writes rows without a header.
    CsvWriter() = default;
    explicit CsvWriter(std::span<const std::string_view> header);

    CsvWriter& text(std::string_view value);
    CsvWriter& integer(std::int64_t value);
    CsvWriter& integer(std::uint64_t value);
    /// An absent value becomes an empty cell.
    CsvWriter& integer_if_known(const std::optional<std::uint64_t>& value);
    CsvWriter& integer_if_known(const std::optional<std::int64_t>& value);
    /// A number with `decimals` digits after the point. A value that is not finite becomes an empty cell.
    CsvWriter& fixed(double value, int decimals);
    /// An absent value becomes an empty cell.
    CsvWriter& fixed_if_known(const std::optional<double>& value, int decimals);
    /// A number with up to 9 significant digits, which distinguish any two floats. A value that is absent or
    /// not finite becomes an empty cell.
    CsvWriter& figure(const std::optional<double>& value);
    /// Adds this number of empty cells.
    CsvWriter& empty(int cells = 1);
    void end_row();

    [[nodiscard]] const std::string& content() const { return content_; }
    /// Moves the text so far out; later rows begin a new one.
    [[nodiscard]] std::string take() { return std::exchange(content_, {}); }

  private:
    std::string& next_cell();

    std::string content_;
    bool row_begun_ = false;
};

/// Reads the rows of a CSV text from outside one after another, with one row in memory. Throws a DataError
/// that names source, line and column if the text is not well formed, if a row has another number of cells
/// than the header, or if a cell has another type.
class CsvRows {
  public:
    /// Reads the header. text: must outlive this object.
    CsvRows(std::istream& text, std::string source);

    /// Moves to the next row. False at the end.
    bool next();
    /// The columns' names, in order.
    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// The position of a column. Throws DataError if there is no such column.
    [[nodiscard]] std::size_t column(std::string_view name) const;
    /// A cell of this row; so are those of the other members.
    [[nodiscard]] const std::string& text(std::size_t column) const { return row_[column]; }
    /// An integer of at least 0.
    [[nodiscard]] std::int64_t count(std::size_t column) const;
    /// A finite number. Absent if the cell is empty.
    [[nodiscard]] std::optional<double> figure(std::size_t column) const;
    /// A finite number of at least 0.
    [[nodiscard]] double amount(std::size_t column) const;
    [[noreturn]] void fail(std::size_t column, std::string_view expected) const;

  private:
    [[noreturn]] void fail_line(const char* problem) const;
    [[nodiscard]] bool done() const;
    [[nodiscard]] int peek() const;
    std::vector<std::string> read_row();
    std::string plain();
    std::string quoted();
    void end_line();

    std::streambuf& in_;
    std::string source_;
    std::vector<std::string> header_, row_;
    std::size_t line_ = 1;      ///< of the next letter
    std::size_t row_line_ = 1;  ///< at which this row begins
};

}  // namespace convoy
