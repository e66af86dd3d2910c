#include "evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "measure/contention_meter.hpp"
#include "report/evaluation_tables.hpp"
#include "report/render.hpp"
#include "report/run_folder_format.hpp"
#include "run_description.hpp"
#include "spec/parse.hpp"
#include "train/backends.hpp"
#include "train/evaluation.hpp"

namespace convoy {

namespace {

/// The accuracy on other examples is not the run's.
void warn_of_changed_data(const ExperimentSpec& spec, const std::filesystem::path& run_folder,
                          const std::filesystem::path& data_folder) {
    try {
        DataDigests digests;
        for (const auto& change : RunDescription(spec, data_folder, digests).changed_data_since(run_folder))
            say(fmt::format("warning: {}: {}", run_folder.string(), change));
    } catch (const Error& problem) {
        say(fmt::format("warning: {}; whether the data have changed is not known", problem.what()));
    }
}

/// The format of the printed tables. Throws UsageError for CSV, which would hold several tables.
TableFormat format_of(const boost::program_options::variables_map& given) {
    const auto name = given.contains("json") ? "json" : given["format"].as<std::string>();
    const auto known = table_format(name);
    if (!known || *known == TableFormat::csv) {
        throw UsageError(
            fmt::format("--format: found \"{}\", expected text, markdown, json, html or latex; the "
                        "predictions are written as CSV",
                        name));
    }
    return *known;
}

}  // namespace

int evaluate_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    namespace fs = std::filesystem;
    options::options_description described("options");
    described.add_options()  //
        ("data", options::value<std::string>(),
         "folder of datasets; else $CONVOY_DATA, else datasets/cache")  //
        ("dataset", options::value<std::string>(),
         "evaluate on the test set of another dataset")                                                 //
        ("out", options::value<std::string>(), "where predictions go; RUN/predictions.csv without it")  //
        ("threads",
         options::value<int>()->default_value(std::clamp(static_cast<int>(usable_cores()), 1, most_threads)),
         "compute threads")                                                              //
        ("format", options::value<std::string>()->default_value("text"), table_formats)  //
        ("json", "print the tables as JSON, as --format json does");
    const auto given = parse_arguments("evaluate", arguments, described, {"run"});
    if (print_help(given, "convoy evaluate RUN [options]: a run's weights on its test set", described))
        return 0;

    const auto format = format_of(given);
    const auto threads = threads_given(given);
    const fs::path folder = given["run"].as<std::vector<std::string>>().front();
    const auto target = path_given(given, "out").value_or(folder / predictions_file);
    // As the run resolved it: paths that are still relative are the data folder's.
    const auto own_spec = folder / spec_file;
    auto spec = parse_spec(parse_json(read_text(own_spec), own_spec.string()), own_spec.string());
    if (given.contains("dataset")) {
        if (spec.dataset.subtract_mean)
            throw UsageError(
                "--dataset: the run subtracted the mean of its own training images; evaluate without "
                "--dataset");
        spec.dataset.name = given["dataset"].as<std::string>();
        if (spec.dataset.name != npy_dataset) spec.dataset.npy.reset();
        spec.dataset.train_examples.reset();
        spec.dataset.test_examples.reset();
    }
    spec.initial_weights.reset();  // they may be gone, and the run's own weights take their place
    if (const auto unmet = unmet_wish(spec.kernels)) say("warning: " + *unmet);
    const auto data_folder = find_data_folder(path_given(given, "data"));
    warn_of_changed_data(spec, folder, data_folder);
    const auto evaluation = evaluate_weights(spec, read_bytes(folder / "weights.safetensors"),
                                             (folder / "weights.safetensors").string(), data_folder, threads);

    write_whole(target, to_csv(predictions_table(evaluation)));
    const std::vector<Table> tables{score_table(evaluation), class_table(evaluation),
                                    confusion_table(evaluation)};
    const auto written = fmt::format("predictions written to {}", target.string());
    print(render_all(tables, format) +
              (format == TableFormat::text ? fmt::format("\n{}\n", printable(written)) : ""),
          written);
    return 0;
}

}  // namespace convoy
