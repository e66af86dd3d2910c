#include "replication/replication_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "replication/members.hpp"
#include "report/tables.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_replication_bytes = std::size_t{1} << 20U;
constexpr std::string_view replication_format = "convoy replication";
/// The table whose rows are of one epoch each.
constexpr std::string_view table_of_epochs = "epochs";

template <typename Value, std::size_t count>
using Words = std::array<std::pair<std::string_view, Value>, count>;

constexpr Words<Per, 3> per_words{{{"run", Per::run}, {"epoch", Per::epoch}, {"step", Per::step}}};
constexpr Words<OperatorTime, 5> time_words{{{"total", OperatorTime::total},
                                             {"exposed", OperatorTime::exposed},
                                             {"in_flight", OperatorTime::in_flight},
                                             {"hidden", OperatorTime::hidden},
                                             {"skew", OperatorTime::skew}}};
constexpr Words<ClaimForm, 9> form_words{{{"above", ClaimForm::above},
                                          {"below", ClaimForm::below},
                                          {"at_least", ClaimForm::at_least},
                                          {"at_most", ClaimForm::at_most},
                                          {"rises", ClaimForm::rises},
                                          {"falls", ClaimForm::falls},
                                          {"leads", ClaimForm::leads},
                                          {"greatest", ClaimForm::greatest},
                                          {"least", ClaimForm::least}}};

/// The value that a word stands for.
template <typename Value, std::size_t count>
Value word_in(Members& members, std::string_view key, const Words<Value, count>& words, Value standard) {
    if (!members.has(key)) return standard;
    const auto word = members.text(key);
    std::string all;
    for (const auto& [name, value] : words) {
        if (name == word) return value;
        all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
    }
    members.place().key(key).fail(fmt::format("found \"{}\", expected one of {}", word, all));
}

OperatorName read_name(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    OperatorName name{.name = members.text("name"),
                      .operators = members.texts("operators"),
                      .pass = members.text_or("pass", ""),
                      .with = members.texts("with")};
    members.finish();
    if (name.operators.empty()) place.key("operators").missing("names of operators");
    return name;
}

MeasureTerm read_term(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    MeasureTerm term;
    if (members.has("table")) {
        term.table = members.text("table");
        term.column = members.text("column");
        term.row = members.text_or("row", "");
        term.per = word_in(members, "per", per_words, Per::run);
        const auto known = named_tables();
        if (std::ranges::find(known, term.table, &NamedTable::name) == known.end())
            place.key("table").fail(
                fmt::format("found \"{}\", expected one of {}", term.table, table_names()));
        if (term.table == table_of_epochs && term.per != Per::run)
            place.key("per").fail("expected \"run\": a row of epochs is of one epoch already");
    } else {
        term.operator_name = members.text("operator");
        term.time = word_in(members, "time", time_words, OperatorTime::total);
        term.per = word_in(members, "per", per_words, Per::epoch);
    }
    term.factor = members.number_or("factor", 1.0);
    term.optional = members.flag("optional");
    members.finish();
    return term;
}

Measure read_measure(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    Measure measure{.unit = members.text("unit"), .terms = {}};
    if (members.has("terms")) measure.terms[""] = members.list("terms", read_term);
    if (const auto* systems = members.object("systems")) {
        Members of_systems(*systems, place.key("systems"));
        for (const auto& [system, terms] : systems->items())
            measure.terms[system] = of_systems.list(system, read_term);
    }
    members.finish();
    if (measure.terms.empty()) place.key("terms").missing("a list");
    for (const auto& [system, terms] : measure.terms)
        if (terms.empty())
            (system.empty() ? place.key("terms") : place.key("systems").key(system))
                .fail("expected one term or more");
    return measure;
}

ReplicatedTable read_table(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    ReplicatedTable table{.title = members.text("title"),
                          .tables = members.texts("tables"),
                          .measure = members.text("measure"),
                          .rows = members.texts("rows"),
                          .by_row = {},
                          .note = members.text_or("note", ""),
                          .repeats = members.text_or("repeats", "")};
    if (const auto* by_row = members.object("by_row")) {
        Members rows(*by_row, place.key("by_row"));
        for (const auto& [row, measure] : by_row->items()) table.by_row[row] = rows.text(row);
    }
    members.finish();
    return table;
}

ReplicatedFigure read_figure(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    ReplicatedFigure figure{.title = members.text("title"),
                            .measure = members.text("measure"),
                            .axis = members.text("axis"),
                            .factor = members.number_or("factor", 1.0),
                            .row = members.text_or("row", "")};
    members.finish();
    return figure;
}

bool needs_bound(ClaimForm form) {
    using enum ClaimForm;
    return form == above || form == below || form == at_least || form == at_most;
}

Claim read_claim(const nlohmann::json& value, const Place& place) {
    Members members(value, place);
    Claim claim{.id = members.text("id"),
                .text = members.text("claim"),
                .where = members.text("where"),
                .experiments = members.texts("experiments"),
                .measure = members.text_or("measure", ""),
                .row = members.text_or("row", ""),
                .of = members.text_or("of", ""),
                .form = word_in(members, "form", form_words, ClaimForm::above),
                .bound = members.number_if("bound"),
                .among = members.texts("among"),
                .tables = members.texts("tables")};
    members.finish();
    if (claim.measure.empty()) return claim;
    if (claim.of.empty()) place.key("of").missing("a system, or A/B");
    if (needs_bound(claim.form) && !claim.bound) place.key("bound").missing("a number");
    return claim;
}

/// Refuses measures that nobody declared.
void check_measures(const ReplicationSpec& spec, const Place& place) {
    const auto check = [&](const std::string& name, const std::string& who) {
        if (!spec.measures.contains(name))
            place.key("measures").fail(fmt::format("has no \"{}\", which {} needs", name, who));
    };
    for (const auto& table : spec.tables) {
        const auto who = "the table \"" + table.title + "\"";
        check(table.measure, who);
        for (const auto& [row, measure] : table.by_row) {
            check(measure, who);
            const auto& unit = spec.measures.at(table.measure).unit;
            if (spec.measures.at(measure).unit != unit)
                place.key("measures")
                    .key(measure)
                    .key("unit")
                    .fail(fmt::format("expected {}, as {} has it", unit, who));
        }
    }
    for (const auto& figure : spec.figures) check(figure.measure, "the figure \"" + figure.title + "\"");
    for (const auto& claim : spec.claims)
        if (!claim.measure.empty()) check(claim.measure, "the claim \"" + claim.id + "\"");
}

/// Refuses systems that are none of the two.
void check_system_names(const ReplicationSpec& spec, const Place& place) {
    for (const auto& [name, measure] : spec.measures)
        for (const auto& [system, terms] : measure.terms)
            if (!system.empty() && system != spec.a && system != spec.b)
                place.key("measures")
                    .key(name)
                    .key("systems")
                    .fail(fmt::format("found \"{}\", expected {} or {}", system, spec.a, spec.b));
    for (std::size_t i = 0; i < spec.claims.size(); ++i) {
        const auto& of = spec.claims[i].of;
        if (!of.empty() && of != spec.a && of != spec.b && of != spec.a + "/" + spec.b)
            place.key("claims").item(i).key("of").fail(
                fmt::format("found \"{}\", expected {}, {} or {}/{}", of, spec.a, spec.b, spec.a, spec.b));
    }
}

void check_factor(double factor, const Place& place) {
    if (!(factor >= 1.0 && factor <= 1e6)) place.fail("expected a factor from 1 to 1000000");
}

}  // namespace

const std::vector<MeasureTerm>* Measure::of(const std::string& system) const {
    auto found = terms.find(system);
    if (found == terms.end()) found = terms.find("");
    return found == terms.end() ? nullptr : &found->second;
}

ReplicationSpec parse_replication(std::string_view text, const std::string& source) {
    const auto value = parse_json(text, source);
    const Place place(source);
    Members members(value, place);
    if (const auto format = members.text("format"); format != replication_format)
        place.key("format").fail(fmt::format("found \"{}\", expected \"{}\"", format, replication_format));
    ReplicationSpec spec{.title = members.text("title"), .source = members.text("source"), .a = {}, .b = {}};
    const auto systems = members.texts("systems");
    if (systems.size() != 2 || systems.front() == systems.back())
        place.key("systems").fail("expected the names of two systems");
    spec.a = systems.front();
    spec.b = systems.back();
    spec.level = members.number_or("level", spec.level);
    spec.magnitude = members.number_or("magnitude", spec.magnitude);
    check_factor(spec.level, place.key("level"));
    check_factor(spec.magnitude, place.key("magnitude"));
    spec.names = members.list("names", read_name);
    if (const auto* measures = members.object("measures"))
        for (const auto& [name, measure] : measures->items())
            spec.measures[name] = read_measure(measure, place.key("measures").key(name));
    spec.tables = members.list("tables", read_table);
    spec.figures = members.list("figures", read_figure);
    spec.claims = members.list("claims", read_claim);
    members.finish();
    check_measures(spec, place);
    check_system_names(spec, place);
    return spec;
}

ReplicationSpec read_replication(const std::filesystem::path& folder) {
    const auto file = folder / replication_file;
    if (!is_file(file))
        throw MissingFileError(fmt::format(
            "{}: is no folder of published figures, since it has no {} (an archive of a paper is for "
            "`convoy reproduce`)",
            folder.string(), replication_file));
    return parse_replication(read_file_text(file, most_replication_bytes), file.string());
}

std::vector<OperatorName> read_operator_names(const std::filesystem::path& file) {
    const auto value = parse_json(read_file_text(file, most_replication_bytes), file.string());
    auto names = Members(value, Place(file.string())).list("names", read_name);
    if (names.empty())
        throw DataError(fmt::format("{}: expected names of operators, as in REPLICATION.md", file.string()));
    return names;
}

}  // namespace convoy
