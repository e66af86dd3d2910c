#include "replicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/make_folder.hpp"
#include "base/name_rule.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "replication/measured_runs.hpp"
#include "replication/notes.hpp"
#include "replication/published.hpp"
#include "replication/replication_page.hpp"
#include "report/render.hpp"
#include "totals_options.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description replicate_options_described() {
    auto described = option_group();
    described.add_options()  //
        ("experiment", options::value<std::string>()->value_name("NAME"),
         "the experiment of the published figures; needed if they have several")  //
        ("system", options::value<std::vector<std::string>>()->value_name("NAME=DIR"),
         "the runs of a published system: a run, a sweep's folder or a folder of runs; for both systems")  //
        ("epochs", options::value<std::string>()->value_name("N..M"),
         "count these epochs of the runs only")  //
        ("nodes", options::value<std::string>()->default_value("mean")->value_name("NAME"),
         "times of operators: mean (of the nodes), or a rank")  //
        ("notes", options::value<std::string>()->value_name("FILE"),
         "a CSV file of sentences that say why rows differ")  //
        ("out", options::value<std::string>()->value_name("DIR"),
         "write EXPERIMENT.md, .html, .csv and .svg there; else the page is printed");
    return described;
}

/// The experiment that was asked for, or the only one.
std::string experiment_of(const options::variables_map& given, std::span<const PublishedFigure> published) {
    std::set<std::string> names;
    for (const auto& figure : published)
        if (!figure.experiment.empty()) names.insert(figure.experiment);
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    if (given.contains("experiment")) {
        auto name = given["experiment"].as<std::string>();
        if (names.empty()) throw UsageError("--experiment: the published figures are of one experiment only");
        if (!names.contains(name)) refuse_word("--experiment", name, all);
        return name;
    }
    if (names.empty()) return "published";
    if (names.size() != 1) throw UsageError(fmt::format("replicate: give --experiment, one of {}", all));
    return *names.begin();
}

/// The folder that --system gives to a system.
fs::path folder_of(const options::variables_map& given, const std::string& system) {
    const auto begin = system + "=";
    const auto values = given.contains("system") ? given["system"].as<std::vector<std::string>>()
                                                 : std::vector<std::string>();
    const auto found =
        std::ranges::find_if(values, [&begin](const std::string& text) { return text.starts_with(begin); });
    if (found == values.end())
        throw UsageError(fmt::format("replicate: give the runs of {0} as --system {0}=DIR", system));
    return found->substr(begin.size());
}

/// Refuses a --system of another name, and a second one of the same.
void check_systems(const options::variables_map& given, const ReplicationSpec& spec) {
    if (!given.contains("system")) return;
    std::set<std::string> names;
    for (const auto& text : given["system"].as<std::vector<std::string>>()) {
        const auto name = text.substr(0, text.find('='));
        if (name == text || (name != spec.a && name != spec.b))
            throw UsageError(
                fmt::format("--system: found \"{}\", expected {}=DIR or {}=DIR", text, spec.a, spec.b));
        if (!names.insert(name).second)
            throw UsageError(fmt::format("--system: {} is there twice; a folder may have many runs", name));
    }
}

RecordChoice choice_of(const options::variables_map& given) {
    auto choice = given.contains("epochs") ? epochs_of(given["epochs"].as<std::string>()) : RecordChoice{};
    const auto nodes = given["nodes"].as<std::string>();
    if (nodes != "mean") choice.node = rank_of(nodes);
    return choice;
}

/// Writes the files of a page, and returns their names as lines.
std::string write_page(const Replication& replication, const fs::path& folder) {
    const auto& name = replication.experiment;
    if (!file_names.allows(name))
        throw DataError(fmt::format("the experiment \"{}\" cannot name a file, expected {}", name,
                                    file_names.expected()));
    make_folder(folder);
    const auto picture = replication_picture(replication);
    std::string written;
    const auto write = [&](const std::string& ending, const std::string& content) {
        const auto file = folder / (name + ending);
        write_whole(file, content);
        written += fmt::format("written to {}\n", printable(file.string()));
    };
    if (!picture.empty()) write(".svg", picture);
    write(".csv", to_csv(replication_data(replication)));
    write(".html", replication_html(replication));
    write(".md", replication_page(replication, picture.empty() ? "" : name + ".svg"));
    return written;
}

}  // namespace

CommandForm replicate_form() {
    return {.name = "replicate",
            .arguments = {{.name = "published", .shown = "PUBLISHED"}},
            .summary = "puts the published figures of two systems beside runs, and says what replicates",
            .details = {"PUBLISHED is a folder with CSV files and replication.json"},
            .options = replicate_options_described()};
}

int replicate_command(std::span<const std::string> arguments) {
    const auto form = replicate_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const fs::path folder = argument_given(given, "published");
    const auto spec = read_replication(folder);
    const auto published = read_published(folder);
    const auto experiment = experiment_of(given, published);
    check_systems(given, spec);
    const auto choice = choice_of(given);
    const auto notes_file = path_given(given, "notes");
    const auto notes = notes_file ? read_notes(*notes_file) : std::vector<ReplicationNote>();
    const auto read = [&](const std::string& system) {
        return read_system_runs(system, folder_of(given, system), choice, spec);
    };
    const OwnRuns runs{.a = read(spec.a), .b = read(spec.b)};
    const Replication replication{
        .spec = spec, .experiment = experiment, .published = published, .runs = runs, .notes = notes};
    const auto out = path_given(given, "out");
    print(out ? write_page(replication, *out) : replication_page(replication, ""));
    return 0;
}

}  // namespace convoy
