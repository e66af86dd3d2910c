#include "replication/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/open_to_read.hpp"
#include "report/csv.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_figures = 100'000;
constexpr std::size_t most_published_files = 1000;

/// The places of the columns that a file has.
class FigureColumns {
  public:
    explicit FigureColumns(const CsvRows& rows) : rows_(rows) {}

    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::count(rows_.header(), name) > 0;
    }
    /// The cell of the first of these columns that there is; empty if there is none.
    [[nodiscard]] std::string text(std::initializer_list<std::string_view> names) const {
        for (const auto name : names)
            if (has(name)) return rows_.text(rows_.column(name));
        return {};
    }
    [[nodiscard]] std::optional<std::int64_t> batch_size() const {
        if (text({"batch_size"}).empty()) return std::nullopt;
        return rows_.count(rows_.column("batch_size"));
    }
    /// Where the value stands beside its words, it may be no number.
    [[nodiscard]] std::optional<double> value() const {
        const auto column = rows_.column("value");
        if (!has("as_printed")) return rows_.figure(column);
        const auto& cell = rows_.text(column);
        double number = 0.0;
        const auto* end = cell.data() + cell.size();
        const auto [last, problem] = std::from_chars(cell.data(), end, number);
        const bool is_number = problem == std::errc{} && last == end && std::isfinite(number);
        return is_number ? std::optional(number) : std::nullopt;
    }

  private:
    const CsvRows& rows_;
};

}  // namespace

std::vector<PublishedFigure> read_published_csv(std::istream& text, const std::string& source) {
    CsvRows rows(text, source);
    const FigureColumns columns(rows);
    std::vector<PublishedFigure> figures;
    if (!columns.has("system") || !columns.has("quantity") || !columns.has("value")) return figures;
    while (rows.next()) {
        if (figures.size() == most_figures)
            throw DataError(fmt::format("{}: has more than {} rows", source, most_figures));
        figures.push_back({.table = columns.text({"table", "section"}),
                           .experiment = columns.text({"experiment"}),
                           .row = columns.text({"operator", "place", "quantity"}),
                           .system = columns.text({"system"}),
                           .quantity = columns.text({"quantity"}),
                           .unit = columns.text({"unit"}),
                           .batch_size = columns.batch_size(),
                           .value = columns.value()});
    }
    return figures;
}

std::vector<PublishedFigure> read_published(const fs::path& folder) {
    std::error_code problem;
    auto files = paths_in(folder, problem);
    if (problem) throw MissingFileError(fmt::format("{}: {}", folder.string(), problem.message()));
    std::erase_if(files, [](const fs::path& file) { return file.extension() != ".csv"; });
    if (files.empty()) throw MissingFileError(fmt::format("{}: has no CSV files", folder.string()));
    if (files.size() > most_published_files)
        throw DataError(fmt::format("{}: has more than {} CSV files", folder.string(), most_published_files));
    std::ranges::sort(files);
    std::vector<PublishedFigure> all;
    for (const auto& file : files) {
        auto figures = read_published_csv(*open_stream(file), file.string());
        std::ranges::move(figures, std::back_inserter(all));
    }
    return all;
}

}  // namespace convoy
