#include "run.hpp"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cluster/launcher.hpp"
#include "command_line.hpp"
#include "data/dataset.hpp"
#include "data/folders.hpp"
#include "measure/environment.hpp"
#include "progress.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/summary.hpp"
#include "spec/parse.hpp"
#include "train/describe.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

options::options_description described_options() {
    options::options_description described("options");
    described.add_options()                                                                                //
        ("set", options::value<std::vector<std::string>>()->composing(),                                   //
         "KEY=VALUE: overrides a field of the spec, as in --set strategy.bucket_bytes=65536; may repeat")  //
        ("out", options::value<std::string>(), "the run's folder; results/NAME-RUNID without it")          //
        ("data", options::value<std::string>(),
         "folder of datasets; else $CONVOY_DATA, else datasets/cache")  //
        ("json", "print summary.json instead of tables")                //
        ("dry-run", "check the spec and print its plan");
    return described;
}

constexpr auto results_folder = "results";

/// As much of a run's identity as names it among others.
std::string run_id_text(const ExperimentSpec& spec) {
    return run_id(spec).substr(0, 12);
}

std::optional<fs::path> path_of(const options::variables_map& given, const std::string& name) {
    if (!given.contains(name)) return std::nullopt;
    return given[name].as<std::string>();
}

std::string environment_of(const RunOutcome& outcome) {
    const auto* onednn = dnnl_version();
    auto environment =
        environment_json({{"convoy", std::string(version())},
                          {"onednn", fmt::format("{}.{}.{}", onednn->major, onednn->minor, onednn->patch)}});
    environment["nodes"] = nlohmann::json::array();
    for (const auto& node : outcome.nodes) {
        environment["nodes"].push_back(
            {{"rank", node.rank}, {"pid", node.pid}, {"host", node.host}, {"threads", node.threads}});
    }
    return environment.dump(2);
}

RunRecord record_of(const ExperimentSpec& spec, RunOutcome outcome) {
    return {.name = spec.name,
            .run_id = run_id_text(spec),
            .status = outcome.status == RunStatus::done ? "done" : "interrupted",
            .nodes = spec.world_size(),
            .batch_size = spec.batch_size,
            .spec = to_json(spec).dump(2),
            .environment = environment_of(outcome),
            .records = std::move(outcome.records),
            .weights = std::move(outcome.weights)};
}

/// Trains, writes the folder and prints what came out. Returns the exit code.
int run(const ExperimentSpec& spec, const std::optional<fs::path>& out, const fs::path& data_folder,
        bool json) {
    ProgressLine progress;
    LaunchOptions launch_options;
    launch_options.spec = spec;
    launch_options.data_folder = data_folder;
    auto outcome = launch(launch_options, progress);
    progress.clear();
    for (const auto& warning : outcome.warnings) std::cerr << "convoy: warning: " << warning << '\n';
    const bool interrupted = outcome.status == RunStatus::interrupted;

    const auto record = record_of(spec, std::move(outcome));
    auto folder = out.value_or(fs::path());
    if (out) {
        write_run_folder(folder, record);
    } else {
        folder = write_new_run_folder(results_folder, record);
    }
    const auto results = results_of(record);
    if (json) {
        print(summary_json(results).dump(2) + "\n");
    } else {
        print(render_all(overview(results), TableFormat::text) +
              fmt::format("\nwritten to {}\n", folder.string()));
    }
    return static_cast<int>(interrupted ? ExitCode::interrupted : ExitCode::done);
}

}  // namespace

int run_command(std::span<const std::string> arguments) {
    const auto described = described_options();
    const auto given = parse_arguments("run", arguments, described, {"spec"});
    if (print_help(given, "convoy run SPEC [options]: trains what a spec describes and writes a run folder",
                   described))
        return 0;
    const auto overrides =
        given.contains("set") ? given["set"].as<std::vector<std::string>>() : std::vector<std::string>();
    const auto spec = load_spec(given["spec"].as<std::vector<std::string>>().front(), overrides);
    const auto description = describe(spec);
    if (given.contains("dry-run")) {
        print(description);
        return 0;
    }
    const auto out = path_of(given, "out");
    require_new_folder(out.value_or(choose_run_folder(results_folder, spec.name, run_id_text(spec))));
    return run(spec, out, find_data_folder(path_of(given, "data")), given.contains("json"));
}

}  // namespace convoy
