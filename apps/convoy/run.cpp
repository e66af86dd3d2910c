#include "run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "experiment.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/summary.hpp"
#include "spec/parse.hpp"

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

/// Trains, writes the folder and prints what came out. Returns the exit code.
int run(const ExperimentSpec& spec, const std::optional<fs::path>& out, const fs::path& data_folder,
        bool json) {
    const auto record = run_experiment(spec, data_folder);
    auto folder = out.value_or(fs::path());
    if (out) {
        write_run_folder(folder, record);
    } else {
        folder = write_new_run_folder(results_folder, record);
    }
    const bool interrupted = record.status == "interrupted";
    const auto results = results_of(record);
    if (interrupted) {
        const auto done = results.steps.empty() ? 0 : results.steps.back().step;
        std::cerr << fmt::format("convoy: interrupted after step {}; what was finished is kept\n", done);
    }
    if (json) {
        print(summary_json(results).dump(2) + "\n");
    } else {
        const auto width = terminal_width();
        print(render_all(overview(results), TableFormat::text, {.bars = width.has_value(), .width = width}) +
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
    const auto [spec, description] =
        check_spec(given["spec"].as<std::vector<std::string>>().front(), overrides_given(given));
    if (given.contains("dry-run")) {
        print(description);
        return 0;
    }
    const auto out = path_given(given, "out");
    require_new_folder(
        out.value_or(choose_run_folder(results_folder, spec.name, run_id(spec).substr(0, 12))));
    return run(spec, out, find_data_folder(path_given(given, "data")), given.contains("json"));
}

}  // namespace convoy
