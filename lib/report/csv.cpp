#include "report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace convoy {

namespace {

constexpr int end_of_text = std::char_traits<char>::eof();
constexpr std::size_t most_cell_bytes = std::size_t{1} << 20U;

}  // namespace

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

CsvWriter& CsvWriter::integer_if_known(const std::optional<std::uint64_t>& value) {
    return value ? integer(*value) : empty();
}

CsvWriter& CsvWriter::integer_if_known(const std::optional<std::int64_t>& value) {
    return value ? integer(*value) : empty();
}

CsvWriter& CsvWriter::fixed_if_known(const std::optional<double>& value, int decimals) {
    return value ? fixed(*value, decimals) : empty();
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

CsvRows::CsvRows(std::istream& text, std::string source) : in_(*text.rdbuf()), source_(std::move(source)) {
    if (done()) throw DataError(fmt::format("{}: is empty", source_));
    header_ = read_row();
}

bool CsvRows::next() {
    if (done()) return false;
    row_line_ = line_;
    row_ = read_row();
    if (row_.size() == header_.size()) return true;
    throw DataError(fmt::format("{}: line {}: {} cells, the header has {}", source_, row_line_, row_.size(),
                                header_.size()));
}

bool CsvRows::done() const {
    return peek() == end_of_text;
}

int CsvRows::peek() const {
    return in_.sgetc();
}

void CsvRows::fail_line(const char* problem) const {
    throw DataError(fmt::format("{}: line {}: {}", source_, line_, problem));
}

std::vector<std::string> CsvRows::read_row() {
    std::vector<std::string> cells;
    while (true) {
        cells.push_back(peek() == '"' ? quoted() : plain());
        if (peek() == ',') {
            in_.sbumpc();
            continue;
        }
        end_line();
        return cells;
    }
}

std::string CsvRows::plain() {
    std::string cell;
    for (int letter = peek(); letter != end_of_text && letter != ',' && letter != '\r' && letter != '\n';
         letter = in_.snextc()) {
        if (letter == '"') fail_line("a quote within a cell that does not begin with one");
        if (cell.size() == most_cell_bytes) fail_line("a cell is too long");
        cell += static_cast<char>(letter);
    }
    return cell;
}

std::string CsvRows::quoted() {
    std::string cell;
    for (int letter = in_.snextc(); letter != end_of_text; letter = in_.snextc()) {
        if (letter == '"' && in_.snextc() != '"') return cell;
        if (letter == '\n') ++line_;
        if (cell.size() == most_cell_bytes) fail_line("a cell is too long");
        cell += static_cast<char>(letter);
    }
    fail_line("the text ends within quotes");
}

void CsvRows::end_line() {
    if (done()) return;
    if (peek() == '\r') in_.sbumpc();
    if (peek() != '\n') fail_line("expected a comma or the end of the line");
    in_.sbumpc();
    ++line_;
}

std::size_t CsvRows::column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) throw DataError(fmt::format("{}: there is no column {}", source_, name));
    return static_cast<std::size_t>(found - header_.begin());
}

void CsvRows::fail(std::size_t column, std::string_view expected) const {
    throw DataError(fmt::format("{}: line {}: {}: found \"{}\", expected {}", source_, row_line_,
                                header_[column], text(column).substr(0, 40), expected));
}

std::int64_t CsvRows::count(std::size_t column) const {
    const auto& cell = text(column);
    std::int64_t value = 0;
    const auto* end = cell.data() + cell.size();
    const auto [last, problem] = std::from_chars(cell.data(), end, value);
    if (problem != std::errc{} || last != end || value < 0) fail(column, "an integer of at least 0");
    return value;
}

std::optional<double> CsvRows::figure(std::size_t column) const {
    const auto& cell = text(column);
    if (cell.empty()) return std::nullopt;
    double value = 0.0;
    const auto* end = cell.data() + cell.size();
    const auto [last, problem] = std::from_chars(cell.data(), end, value);
    if (problem != std::errc{} || last != end || !std::isfinite(value)) fail(column, "a number");
    return value;
}

double CsvRows::amount(std::size_t column) const {
    const auto value = figure(column);
    if (!value || *value < 0.0) fail(column, "a number of at least 0");
    return *value;
}

}  // namespace convoy
