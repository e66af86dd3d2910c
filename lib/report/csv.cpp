#include "report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace convoy {

CsvWriter::CsvWriter(std::span<const std::string_view> header) {
    for (const auto name : header) text(name);
    end_row();
}

std::string& CsvWriter::next_cell() {
    if (std::exchange(row_begun_, true)) content_ += ',';
    return content_;
}

CsvWriter& CsvWriter::text(std::string_view value) {
    auto& cell = next_cell();
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
        cell += value;
        return *this;
    }
    cell += '"';
    for (const char letter : value) cell.append(letter == '"' ? 2 : 1, letter);
    cell += '"';
    return *this;
}

CsvWriter& CsvWriter::integer(std::int64_t value) {
    fmt::format_to(std::back_inserter(next_cell()), "{}", value);
    return *this;
}

CsvWriter& CsvWriter::integer(std::uint64_t value) {
    fmt::format_to(std::back_inserter(next_cell()), "{}", value);
    return *this;
}

CsvWriter& CsvWriter::fixed(double value, int decimals) {
    auto& cell = next_cell();
    if (std::isfinite(value)) fmt::format_to(std::back_inserter(cell), "{:.{}f}", value, decimals);
    return *this;
}

CsvWriter& CsvWriter::figure(const std::optional<double>& value) {
    auto& cell = next_cell();
    if (value && std::isfinite(*value)) fmt::format_to(std::back_inserter(cell), "{:.9g}", *value);
    return *this;
}

CsvWriter& CsvWriter::empty(int cells) {
    for (int i = 0; i < cells; ++i) next_cell();
    return *this;
}

void CsvWriter::end_row() {
    content_ += '\n';
    row_begun_ = false;
}

namespace {

/// Takes one row after the other from a text.
class RowReader {
  public:
    RowReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    [[nodiscard]] bool done() const { return at_ == text_.size(); }
    [[nodiscard]] std::size_t line() const { return line_; }

    std::vector<std::string> row() {
        std::vector<std::string> cells;
        while (true) {
            cells.push_back(peek() == '"' ? quoted() : plain());
            if (!done() && text_[at_] == ',') {
                ++at_;
                continue;
            }
            end_line();
            return cells;
        }
    }

  private:
    [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }

    [[noreturn]] void fail(const char* problem) const {
        throw DataError(fmt::format("{}: line {}: {}", source_, line_, problem));
    }

    std::string plain() {
        const auto end = std::min(text_.find_first_of(",\r\n\"", at_), text_.size());
        if (end < text_.size() && text_[end] == '"')
            fail("a quote within a cell that does not begin with one");
        return std::string(text_.substr(std::exchange(at_, end), end - at_));
    }

    std::string quoted() {
        std::string cell;
        for (++at_; !done(); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                if (peek() != '"') return cell;
            }
            if (text_[at_] == '\n') ++line_;
            cell += text_[at_];
        }
        fail("the text ends within quotes");
    }

    void end_line() {
        if (done()) return;
        if (text_[at_] == '\r') ++at_;
        if (peek() != '\n') fail("expected a comma or the end of the line");
        ++at_;
        ++line_;
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string source) : source_(std::move(source)) {
    RowReader reader(text, source_);
    if (reader.done()) throw DataError(fmt::format("{}: is empty", source_));
    header_ = reader.row();
    while (!reader.done()) {
        lines_.push_back(reader.line());
        rows_.push_back(reader.row());
        if (rows_.back().size() != header_.size()) {
            throw DataError(fmt::format("{}: line {}: {} cells, the header has {}", source_, lines_.back(),
                                        rows_.back().size(), header_.size()));
        }
    }
}

std::size_t CsvTable::column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) throw DataError(fmt::format("{}: there is no column {}", source_, name));
    return static_cast<std::size_t>(found - header_.begin());
}

void CsvTable::fail(std::size_t row, std::size_t column, std::string_view expected) const {
    throw DataError(fmt::format("{}: line {}: {}: found \"{}\", expected {}", source_, lines_[row],
                                header_[column], text(row, column).substr(0, 40), expected));
}

std::int64_t CsvTable::count(std::size_t row, std::size_t column) const {
    const auto& cell = text(row, column);
    std::int64_t value = 0;
    const auto* end = cell.data() + cell.size();
    const auto [last, problem] = std::from_chars(cell.data(), end, value);
    if (problem != std::errc{} || last != end || value < 0) fail(row, column, "an integer of at least 0");
    return value;
}

std::optional<double> CsvTable::figure(std::size_t row, std::size_t column) const {
    const auto& cell = text(row, column);
    if (cell.empty()) return std::nullopt;
    double value = 0.0;
    const auto* end = cell.data() + cell.size();
    const auto [last, problem] = std::from_chars(cell.data(), end, value);
    if (problem != std::errc{} || last != end || !std::isfinite(value)) fail(row, column, "a number");
    return value;
}

double CsvTable::amount(std::size_t row, std::size_t column) const {
    const auto value = figure(row, column);
    if (!value || *value < 0.0) fail(row, column, "a number of at least 0");
    return *value;
}

}  // namespace convoy
