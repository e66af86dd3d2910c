#include "evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "chart/drawing.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "dataset_command.hpp"
#include "fetching.hpp"
#include "measure/core_list.hpp"
#include "report/evaluation_tables.hpp"
#include "report/quantity_chart.hpp"
#include "report/render.hpp"
#include "report/run_folder_format.hpp"
#include "run_description.hpp"
#include "spec/parse.hpp"
#include "train/backends.hpp"
#include "train/evaluation.hpp"
#include "voice.hpp"

namespace convoy {

namespace {

/// The accuracy on other examples is not the run's.
void warn_of_changed_data(const ExperimentSpec& spec, const std::filesystem::path& run_folder,
                          const std::filesystem::path& data_folder, const Voice& voice) {
    try {
        DataDigests digests;
        for (const auto& change : RunDescription(spec, data_folder, digests).changed_data_since(run_folder))
            voice.warn(fmt::format("{}: {}", run_folder.string(), change));
    } catch (const Error& problem) {
        voice.warn(fmt::format("{}; whether the data have changed is not known", problem.what()));
    }
}

/// The format of the printed tables. Throws UsageError for CSV, which would hold several tables.
TableFormat format_of(const boost::program_options::variables_map& given) {
    const auto name = given.contains("json") ? "json" : given["format"].as<std::string>();
    const auto format = table_format(name);
    if (format == TableFormat::csv) {
        throw UsageError(
            fmt::format("--format: found \"{}\", expected text, markdown, json, html or latex; the "
                        "predictions are written as CSV",
                        name));
    }
    return format;
}

/// Draws the quantities of a scale into FILE.svg beside the predictions. Returns its path.
std::filesystem::path draw_beside(const std::filesystem::path& predictions, const Evaluation& evaluation) {
    auto picture = predictions;
    picture.replace_extension(std::filesystem::path(predictions_picture_file).extension());
    if (picture == predictions) picture += picture.extension();
    write_whole(picture, svg_document(std::vector{drawn(quantity_chart(evaluation))}));
    return picture;
}

}  // namespace

CommandForm evaluate_form() {
    namespace options = boost::program_options;
    auto described = option_group();
    add_data_option(described);
    const auto cores = std::clamp(static_cast<int>(usable_cores()), 1, most_threads);
    described.add_options()  //
        ("dataset", options::value<std::string>()->value_name("NAME"),
         "evaluate on the test set of another dataset")  //
        ("out", options::value<std::string>()->value_name("FILE"),
         "where predictions go; RUN/predictions.csv without it")                                      //
        ("threads", options::value<int>()->default_value(cores)->value_name("N"), "compute threads")  //
        ("format", options::value<std::string>()->default_value("text")->value_name("NAME"),
         table_formats)  //
        ("json", "print the tables as JSON, as --format json does");
    add_voice_options(described);
    return {
        .name = "evaluate",
        .arguments = {{.name = "run", .shown = "RUN"}},
        .summary = "a run's weights on its test set: accuracy per class, confusion, predictions",
        .options = described,
        .values = {{"dataset", dataset_names()}, {"format", {"text", "markdown", "json", "html", "latex"}}}};
}

int evaluate_command(std::span<const std::string> arguments) {
    namespace fs = std::filesystem;
    const auto form = evaluate_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;

    const auto voice = voice_given(given);
    const auto format = format_of(given);
    const auto threads = threads_given(given);
    const fs::path folder = argument_given(given, "run");
    const auto target = new_file_given(given, "out").value_or(folder / predictions_file);
    // As the run resolved it: paths that are still relative are the data folder's.
    const auto own_spec = folder / spec_file;
    auto spec = parse_spec(parse_json(read_text(own_spec), own_spec.string()), own_spec.string());
    if (given.contains("dataset")) {
        if (spec.dataset.subtract_mean)
            throw UsageError(
                "--dataset: the run subtracted the mean of its own training images; evaluate without "
                "--dataset");
        const auto before = std::exchange(spec.dataset.name, given["dataset"].as<std::string>());
        if (spec.dataset.name != before) spec.dataset.npy.reset();
        if (spec.dataset.name != spectra_dataset) spec.dataset.spectra.reset();
        spec.dataset.source.reset();
        spec.dataset.train_examples.reset();
        spec.dataset.test_examples.reset();
    }
    spec.initial_weights.reset();  // they may be gone, and the run's own weights take their place
    if (const auto unmet = unmet_wish(spec.kernels)) voice.warn(*unmet);
    const auto data_folder = find_data_folder(path_given(given, "data"));
    fetch_for(spec.dataset, data_folder, voice);
    warn_of_changed_data(spec, folder, data_folder, voice);
    voice.detail(fmt::format("evaluates on {} in {}, with {} threads", spec.dataset.name,
                             data_folder.string(), threads));
    const auto evaluation = evaluate_weights(spec, read_bytes(folder / "weights.safetensors"),
                                             (folder / "weights.safetensors").string(), data_folder, threads);

    voice.detail("all examples are evaluated");
    write_whole(target, to_csv(predictions_table(evaluation)));
    std::vector<Table> tables{score_table(evaluation)};
    auto written = fmt::format("predictions written to {}", target.string());
    if (evaluation.scale) {
        tables.push_back(quantity_table(evaluation));
        written += fmt::format(", drawn in {}", draw_beside(target, evaluation).string());
    }
    tables.push_back(class_table(evaluation));
    tables.push_back(confusion_table(evaluation));
    if (voice.is_quiet() && format == TableFormat::text) {
        print(printable(written) + "\n", written);
        return 0;
    }
    print(render_all(tables, format) +
              (format == TableFormat::text ? fmt::format("\n{}\n", printable(written)) : ""),
          written);
    return 0;
}

}  // namespace convoy
