#include "totals_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/similar_name.hpp"
#include "command_line.hpp"
#include "replication/replication_spec.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"

namespace convoy {
namespace {

namespace options = boost::program_options;

constexpr std::string_view totals_table = "operator_totals";
constexpr std::array<const char*, 5> totals_options{"epochs", "per", "nodes", "unit", "names"};
constexpr auto per_values = "run, epoch or step";
constexpr auto unit_values = "us or ms";

/// A whole number of at least 0.
std::optional<std::int64_t> rank_in(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [last, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && last == end && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The value of an option with a few words.
std::string word_given(const options::variables_map& given, const std::string& option, const char* values) {
    auto word = given[option].as<std::string>();
    const auto words = words_of_list(values);
    if (std::ranges::count(words, word) > 0) return word;
    refuse_word("--" + option, word, values);
}

void set_nodes(TotalsWanted& wanted, const std::string& nodes) {
    if (nodes == "all") return;
    wanted.mean_of_nodes = nodes == "mean";
    if (wanted.mean_of_nodes) return;
    wanted.choice.node = rank_of(nodes);
}

std::string title_of(const TotalsWanted& wanted) {
    std::string title;
    if (wanted.per != TotalsWanted::Per::run)
        title += wanted.per == TotalsWanted::Per::epoch ? "for an epoch, " : "for a step, ";
    if (wanted.choice.first_epoch > 1 || wanted.choice.last_epoch != RecordChoice{}.last_epoch)
        title += fmt::format("epochs {} to {}, ", wanted.choice.first_epoch, wanted.choice.last_epoch);
    if (wanted.choice.node) return title + fmt::format("of node {}", *wanted.choice.node);
    return title + (wanted.mean_of_nodes ? "mean of the nodes" : "over all nodes");
}

}  // namespace

void add_totals_options(options::options_description& described) {
    described.add_options()  //
        ("epochs", options::value<std::string>()->value_name("N..M"),
         "with operator_totals: of these epochs only")  //
        ("per", options::value<std::string>()->default_value("run")->value_name("NAME"),
         fmt::format("with operator_totals: {}", per_values).c_str())  //
        ("nodes", options::value<std::string>()->default_value("all")->value_name("NAME"),
         "with operator_totals: all (the sum), mean, or a rank")  //
        ("unit", options::value<std::string>()->default_value("ms")->value_name("NAME"),
         fmt::format("with operator_totals: {}, for people", unit_values).c_str())  //
        ("names", options::value<std::string>()->value_name("FILE"),
         "with operator_totals: operators under the names of a replication.json");
}

void add_totals_words(std::map<std::string, std::vector<std::string>>& values) {
    values["per"] = words_of_list(per_values);
    values["unit"] = words_of_list(unit_values);
}

bool has_totals_options(const options::variables_map& given) {
    return std::ranges::any_of(totals_options, [&given](const char* name) {
        return given.contains(name) && !given[name].defaulted();
    });
}

RecordChoice epochs_of(const std::string& text) {
    const auto dots = text.find("..");
    const std::string_view whole = text;
    const auto first = rank_in(whole.substr(0, dots));
    const auto last = dots == std::string::npos ? first : rank_in(whole.substr(dots + 2));
    if (!first || !last || *first < 1 || *last < *first)
        throw UsageError(fmt::format("--epochs: found \"{}\", expected epochs from 1 such as 2..6", text));
    return {.first_epoch = *first, .last_epoch = *last};
}

std::int64_t rank_of(const std::string& text) {
    const auto rank = rank_in(text);
    if (!rank) throw UsageError(fmt::format("--nodes: found \"{}\", expected a rank such as 0", text));
    return *rank;
}

TotalsWanted totals_given(const options::variables_map& given) {
    TotalsWanted wanted;
    if (given.contains("epochs")) wanted.choice = epochs_of(given["epochs"].as<std::string>());
    set_nodes(wanted, given["nodes"].as<std::string>());
    const auto per = word_given(given, "per", per_values);
    if (per != "run") wanted.per = per == "epoch" ? TotalsWanted::Per::epoch : TotalsWanted::Per::step;
    wanted.in_us = word_given(given, "unit", unit_values) == "us";
    if (const auto file = path_given(given, "names"))
        wanted.names = naming_option("names", [&file] { return read_operator_names(*file); });
    return wanted;
}

Table totals_of_run(const std::filesystem::path& folder, const TotalsWanted& wanted) {
    auto run = read_chosen_run(folder, wanted.choice);
    run.results.operators = under_names(std::move(run.results.operators), wanted.names);
    std::int64_t parts = wanted.mean_of_nodes ? run.nodes : 1;
    if (wanted.per == TotalsWanted::Per::epoch) parts *= run.epochs;
    if (wanted.per == TotalsWanted::Per::step) parts *= std::max<std::int64_t>(run.steps, 1);
    return operator_totals_table(
        run.results, {.of = title_of(wanted), .parts = static_cast<double>(parts), .in_us = wanted.in_us});
}

void require_totals_table(const options::variables_map& given, std::string_view table) {
    if (table == totals_table || !has_totals_options(given)) return;
    for (const auto* name : totals_options)
        if (given.contains(name) && !given[name].defaulted())
            throw UsageError(fmt::format("--{}: is for --table {}", name, totals_table));
}

}  // namespace convoy
