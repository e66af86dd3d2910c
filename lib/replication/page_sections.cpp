#include "replication/page_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/columns.hpp"

namespace convoy {
namespace {

using namespace columns;

/// A number for people: without an exponent, with four digits where it is short.
std::string figure_words(double value) {
    constexpr double whole_from = 1000.0;
    return std::abs(value) >= whole_from ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string figure_words(const std::optional<double>& value) {
    return value ? figure_words(*value) : "-";
}

/// "3.1 [2.9, 3.4]", or "3.1" of one run.
std::string spread_words(const std::optional<Spread>& spread) {
    if (!spread) return "-";
    if (spread->runs < 2) return figure_words(spread->median);
    return fmt::format("{} [{}, {}]", figure_words(spread->median), figure_words(spread->least),
                       figure_words(spread->greatest));
}

std::string batch_words(const std::optional<std::int64_t>& batch) {
    return batch ? std::to_string(*batch) : "all";
}

/// A table of words, whose columns are aligned left.
Table words_table(std::string title, std::initializer_list<const char*> names) {
    Table table{.name = "replication", .title = std::move(title), .columns = {}, .rows = {}};
    for (const auto* name : names) table.columns.push_back(words(name));
    return table;
}

/// A table of the page with its rows.
struct PageTable {
    const ReplicatedTable* table = nullptr;
    const Measure* measure = nullptr;
    std::vector<JoinedRow> rows = {};
};

/// The published rows of a table beside the runs, each by its measure.
std::vector<JoinedRow> rows_of(const Replication& replication, const ReplicatedTable& table) {
    const auto& spec = replication.spec;
    const auto joined = [&](std::span<const std::string> rows, const std::string& measure) {
        return join(replication.published, replication.experiment, table.tables, rows,
                    spec.measures.at(measure), replication.runs, spec);
    };
    auto rows = joined(table.rows, table.measure);
    for (const auto& [name, measure] : table.by_row) {
        const std::vector<std::string> only{name};
        auto others = joined(only, measure);
        for (auto& other : others) {
            const auto place = std::ranges::find_if(rows, [&other](const JoinedRow& row) {
                return row.row == other.row && row.batch_size == other.batch_size;
            });
            if (place != rows.end()) *place = std::move(other);
        }
    }
    return rows;
}

std::vector<PageTable> page_tables(const Replication& replication) {
    std::vector<PageTable> all;
    for (const auto& table : replication.spec.tables) {
        auto rows = rows_of(replication, table);
        if (!rows.empty())
            all.push_back({&table, &replication.spec.measures.at(table.measure), std::move(rows)});
    }
    return all;
}

/// Empty where the row agrees, has no published ratio, or was not measured.
std::string note_on_row(const Replication& replication, const JoinedRow& row) {
    using enum Agreement;
    if (row.agreement == same_magnitude || row.agreement == no_ratio || row.agreement == not_measured)
        return {};
    return note_on(replication.notes, replication.experiment, row.table, row.row, row.batch_size);
}

/// The title of a table: "Table 5.1, 5.2: memory".
std::string numbered_title(const PageTable& table) {
    const auto& numbers = table.rows.front().table;
    return fmt::format("{} {}: {}", table.table->tables.size() > 1 ? "Tables" : "Table", numbers,
                       table.table->title);
}

PageSection table_section(const Replication& replication, const PageTable& page) {
    const auto in_unit = [&page](const char* name) {
        return count(fmt::format("{} ({})", name, page.measure->unit));
    };
    Table table{.name = "replication", .title = numbered_title(page), .columns = {}, .rows = {}};
    table.columns = {words("row"),
                     count("batch size"),
                     in_unit("published A"),
                     in_unit("published B"),
                     count("published ratio"),
                     in_unit("ours A"),
                     in_unit("ours B"),
                     count("our ratio"),
                     words("verdict"),
                     words("why")};
    for (const auto& row : page.rows) {
        table.rows.push_back({row.row, batch_words(row.batch_size), figure_words(row.published_a),
                              figure_words(row.published_b), figure_words(row.published_ratio),
                              spread_words(row.ours_a), spread_words(row.ours_b),
                              spread_words(row.ours_ratio), std::string(agreement_words(row.agreement)),
                              note_on_row(replication, row)});
    }
    auto below = page.table->note;
    if (!page.table->repeats.empty())
        below += fmt::format("{}Its figures are rows of {} too, and count there.", below.empty() ? "" : " ",
                             page.table->repeats);
    return {.table = std::move(table), .below = std::move(below)};
}

/// The values of a claim over the batch sizes, as in "2.12, 2.63, -".
template <typename Value>
std::string points_words(const std::vector<ClaimPoint>& points, Value ClaimPoint::*value) {
    std::string text;
    for (const auto& point : points)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", figure_words(point.*value));
    return text;
}

bool is_told(const JudgedClaim& judged) {
    return std::ranges::any_of(judged.points,
                               [](const ClaimPoint& point) { return point.published.has_value(); });
}

std::string published_words(const JudgedClaim& judged) {
    if (!is_told(judged)) {
        const bool has_extreme = judged.claim->bound && (judged.claim->form == ClaimForm::greatest ||
                                                         judged.claim->form == ClaimForm::least);
        return has_extreme ? figure_words(judged.claim->bound) : "in words";
    }
    auto text = points_words(judged.points, &ClaimPoint::published);
    if (judged.published_holds == false) text += " (does not hold there)";
    return text;
}

std::string outcome_text(const JudgedClaim& judged) {
    auto text = std::string(outcome_words(judged.outcome));
    const auto all = std::ssize(judged.points);
    const bool is_tested = judged.outcome == Outcome::replicates || judged.outcome == Outcome::does_not;
    if (is_tested && judged.tested < all) text += fmt::format(" ({} of {} batch sizes)", judged.tested, all);
    return text;
}

PageSection claims_section(const Replication& replication, const std::vector<JudgedClaim>& claims) {
    auto table =
        words_table("Claims", {"claim", "where", "batch sizes", "published", "ours", "result", "why"});
    for (const auto& judged : claims) {
        std::string batches;
        for (const auto& point : judged.points)
            batches += (batches.empty() ? "" : ", ") + batch_words(point.batch_size);
        const auto note = judged.outcome == Outcome::replicates
                              ? std::string()
                              : note_on(replication.notes, replication.experiment, std::string(claims_table),
                                        judged.claim->id);
        table.rows.push_back({judged.claim->text, judged.claim->where, batches, published_words(judged),
                              points_words(judged.points, &ClaimPoint::ours), outcome_text(judged), note});
    }
    return {.table = std::move(table), .below = {}};
}

/// How many rows and claims come out how.
PageSection counts_section(const Replication& replication, const std::vector<PageTable>& tables,
                           const std::vector<JudgedClaim>& claims) {
    std::map<Agreement, std::int64_t> rows;
    std::int64_t explained = 0;
    for (const auto& page : tables) {
        if (!page.table->repeats.empty()) continue;
        for (const auto& row : page.rows) {
            ++rows[row.agreement];
            if (row.agreement == Agreement::differs && !note_on_row(replication, row).empty()) ++explained;
        }
    }
    std::map<Outcome, std::int64_t> outcomes;
    for (const auto& judged : claims) ++outcomes[judged.outcome];
    using enum Agreement;
    Table table{.name = "counts", .title = "What replicates", .columns = {}, .rows = {}};
    table.columns = {words("of"), count("replicate"), count("do not"), count("cannot be tested"),
                     count("not published")};
    table.rows = {{std::string("claims"), outcomes[Outcome::replicates], outcomes[Outcome::does_not],
                   outcomes[Outcome::untested], outcomes[Outcome::not_published]},
                  {std::string("rows of tables"), rows[same_magnitude] + rows[same_direction], rows[differs],
                   rows[no_difference] + rows[not_measured], rows[no_ratio]}};
    return {.table = std::move(table),
            .below = fmt::format(
                "Rows that replicate and have the same order of magnitude too: {}. Rows that differ and "
                "have a sentence that says why: {}. Not published: a claim that the published figures do not "
                "have, or a row without a published ratio.",
                rows[same_magnitude], explained)};
}

std::string rules_text(const ReplicationSpec& spec) {
    return fmt::format(
        "A is {}, B is {}; ratios are A/B. Ours are medians of runs with [least, greatest]; the range "
        "of a ratio is from the least A over the greatest B to the greatest A over the least B. A published "
        "ratio within a factor of {} of 1 has no direction; ours has none if its range holds 1 or, of single "
        "runs, if it is within that factor. Ratios agree if they are within that factor of each other or "
        "have "
        "the same direction; their order of magnitude is the same within a factor of {}. Where ours has no "
        "direction, no difference is seen. A ratio of all batch sizes is the "
        "median of the ratios at each. Times of operators are of training, for an epoch of the mean node "
        "where nothing else is said.",
        spec.a, spec.b, figure_words(spec.level), figure_words(spec.magnitude));
}

PageSection runs_section(const OwnRuns& runs) {
    Table table{.name = "runs", .title = "Our runs", .columns = {}, .rows = {}};
    table.columns = {words("system"), count("batch size"), count("runs"),     count("epochs counted"),
                     count("steps"),  count("quiet"),      count("not quiet")};
    for (const auto* system : {&runs.a, &runs.b}) {
        std::map<std::int64_t, std::vector<const MeasuredRun*>> by_batch;
        for (const auto& run : system->runs) by_batch[run.batch_size].push_back(&run);
        for (const auto& [batch, repeats] : by_batch) {
            const auto quiet = std::ranges::count_if(
                repeats, [](const MeasuredRun* run) { return run->verdict == Verdict::quiet; });
            table.rows.push_back({system->system, batch, std::int64_t{std::ssize(repeats)},
                                  repeats.front()->epochs, repeats.front()->steps, std::int64_t{quiet},
                                  std::int64_t{std::ssize(repeats) - quiet}});
        }
    }
    return {.table = std::move(table), .below = {}};
}

Cell cell_of(const std::optional<double>& value) {
    return value ? Cell(*value) : Cell();
}

void add_spread(std::vector<Cell>& cells, const std::optional<Spread>& spread) {
    if (!spread) {
        cells.insert(cells.end(), 3, Cell());
        return;
    }
    cells.insert(cells.end(), {spread->median, spread->least, spread->greatest});
}

}  // namespace

PageContent page_content(const Replication& replication) {
    const auto& spec = replication.spec;
    const auto tables = page_tables(replication);
    const auto claims = judged_claims(replication.published, replication.experiment, replication.runs, spec);
    PageContent page{.title = fmt::format("{}: {}", spec.title, replication.experiment),
                     .lines = {spec.source, rules_text(spec)},
                     .sections = {}};
    page.sections = {counts_section(replication, tables, claims), runs_section(replication.runs)};
    if (!claims.empty()) page.sections.push_back(claims_section(replication, claims));
    for (const auto& table : tables) page.sections.push_back(table_section(replication, table));
    return page;
}

Table replication_data(const Replication& replication) {
    Table table{.name = "replication", .title = replication.spec.title, .columns = {}, .rows = {}};
    table.columns = {words("table"),       words("row"),         count("batch_size"),     words("unit"),
                     count("published_a"), count("published_b"), count("published_ratio")};
    for (const auto* whose : {"ours_a", "ours_b", "ours_ratio"})
        for (const auto* part : {"", "_least", "_greatest"})
            table.columns.push_back(count(std::string(whose) + part));
    table.columns.insert(table.columns.end(),
                         {count("runs_a"), count("runs_b"), words("verdict"), words("why"), words("title")});
    for (const auto& page : page_tables(replication)) {
        for (const auto& row : page.rows) {
            auto& cells = table.rows.emplace_back();
            cells = {row.table,
                     row.row,
                     row.batch_size ? Cell(*row.batch_size) : Cell(),
                     page.measure->unit,
                     cell_of(row.published_a),
                     cell_of(row.published_b),
                     cell_of(row.published_ratio)};
            for (const auto* spread : {&row.ours_a, &row.ours_b, &row.ours_ratio}) add_spread(cells, *spread);
            cells.insert(cells.end(), {row.ours_a ? row.ours_a->runs : 0, row.ours_b ? row.ours_b->runs : 0,
                                       std::string(agreement_words(row.agreement)),
                                       note_on_row(replication, row), page.table->title});
        }
    }
    return table;
}

}  // namespace convoy
