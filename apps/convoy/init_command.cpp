#include "init_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/name_rule.hpp"
#include "base/open_to_read.hpp"
#include "base/output_file.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "data/npy_dataset.hpp"
#include "spec_template.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
namespace options = boost::program_options;

constexpr auto usual_file = "experiment.json";
constexpr std::array<const char*, 4> file_options{"images", "labels", "test-images", "test-labels"};

/// Throws UsageError if files of the user's own data are given in part.
void check_together(const options::variables_map& given) {
    const auto has = [&given](const char* option) { return given.contains(option); };
    if (has("images") != has("labels"))
        throw UsageError("--images: goes with --labels, one NPY file each; give both or none");
    if (has("test-images") != has("test-labels"))
        throw UsageError("--test-images: goes with --test-labels, one NPY file each; give both or none");
    const bool split = has("test-images") || has("test-fraction");
    if (split && !has("images")) throw UsageError("--images: is missing, and so is --labels");
    if (has("test-images") && has("test-fraction"))
        throw UsageError("--test-fraction: goes without --test-images, which is the whole test set");
}

/// Throws MissingFileError that names the option if a file cannot be read.
void check_readable(const options::variables_map& given) {
    for (const auto* option : file_options) {
        const auto file = path_given(given, option);
        if (!file) continue;
        try {
            open_to_read(*file, FileKinds::regular);
        } catch (const MissingFileError& error) {
            throw MissingFileError(fmt::format("--{}: {}", option, error.what()));
        }
    }
}

double fraction_given(const options::variables_map& given) {
    constexpr double usual_fraction = 0.2;
    if (!given.contains("test-fraction")) return usual_fraction;
    const auto fraction = given["test-fraction"].as<double>();
    if (fraction > 0.0 && fraction < 1.0) return fraction;
    throw UsageError(fmt::format("--test-fraction: found {}, expected a number between 0 and 1", fraction));
}

/// The files as a spec has them. Paths are of this process.
DatasetSpec dataset_given(const options::variables_map& given, ImageLayout layout) {
    const auto text = [&given](const char* option) {
        return fs::absolute(*path_given(given, option)).string();
    };
    NpySpec npy;
    npy.inputs.front().files = {text("images")};
    npy.inputs.front().layout = layout;
    npy.labels = {text("labels")};
    if (given.contains("test-images")) {
        npy.inputs.front().test_files = {{text("test-images")}};
        npy.test_labels = {{text("test-labels")}};
    } else {
        npy.test_fraction = fraction_given(given);
    }
    return {
        .name = std::string(npy_dataset), .train_examples = {}, .test_examples = {}, .npy = std::move(npy)};
}

/// Whether an example that was read as C,H,W is rather of H,W,C: few channels are last.
bool has_channels_last(const Shape& shape) {
    constexpr std::int64_t most_channels = 4;
    return shape[2] <= most_channels && shape[0] > most_channels;
}

/// A path for a spec in `folder`: relative if the file is in this folder or below.
std::string path_beside(const fs::path& file, const fs::path& folder) {
    const auto whole = fs::absolute(file).lexically_normal();
    const auto from_folder = whole.lexically_relative(fs::absolute(folder).lexically_normal());
    const bool below = !from_folder.empty() && *from_folder.begin() != "..";
    return (below ? from_folder : whole).string();
}

/// The user's own data, by the headers and labels of its files. folder: of the spec.
std::optional<OwnData> data_given(const options::variables_map& given, const fs::path& folder) {
    check_together(given);
    if (!given.contains("images")) return std::nullopt;
    check_readable(given);
    const auto beside = [&](const char* option) { return path_beside(*path_given(given, option), folder); };
    OwnData data{.images = beside("images"), .labels = beside("labels")};
    auto info = npy_dataset_info(dataset_given(given, data.layout), "");
    if (has_channels_last(info.example_shape.image())) {
        data.layout = ImageLayout::channels_last;
        info = npy_dataset_info(dataset_given(given, data.layout), "");
    }
    data.shape = info.example_shape.image();
    data.classes = info.classes;
    data.train_examples = info.train_examples;
    data.test_examples = info.test_examples;
    if (given.contains("test-images")) {
        data.test_images = beside("test-images");
        data.test_labels = beside("test-labels");
    } else {
        data.test_fraction = fraction_given(given);
    }
    return data;
}

/// The name of the runs: that of the file, as far as a name may have its characters.
std::string name_of(const fs::path& file) {
    const auto stem = file.stem().string();
    return file_names.allows(stem) ? stem : "experiment";
}

/// Writes a file that was not there. Throws UsageError if it is.
void write_new(const fs::path& file, const std::string& text) {
    if (is_taken(file))
        throw UsageError(
            fmt::format("{}: exists, and convoy init writes over no file; give another name", file.string()));
    open_to_write(file, O_EXCL);  // nobody takes the name meanwhile
    try {
        write_whole(file, text);
    } catch (const OutputError&) {
        std::error_code ignored;
        fs::remove(file, ignored);
        throw;
    }
}

}  // namespace

CommandForm init_form() {
    auto described = option_group();
    described.add_options()  //
        ("images", options::value<std::string>()->value_name("FILE.npy"),
         "your own data: an array whose first dimension counts examples; it goes with --labels")  //
        ("labels", options::value<std::string>()->value_name("FILE.npy"),
         "the class of each example, counted from 0")  //
        ("test-images", options::value<std::string>()->value_name("FILE.npy"),
         "a test set of its own; it goes with --test-labels")                                           //
        ("test-labels", options::value<std::string>()->value_name("FILE.npy"), "the classes of these")  //
        ("test-fraction", options::value<double>()->value_name("F"),
         "without these: the share of the examples that is drawn for the test set; else 0.2");
    return {
        .name = "init",
        .arguments = {{.name = "file", .shown = "FILE", .count = Argument::Count::optional}},
        .summary = "writes a new spec, with a comment for each section",
        .details = {fmt::format("FILE is {} without it. A file that is there stays as it is.", usual_file)},
        .options = described};
}

int init_command(std::span<const std::string> arguments) {
    const auto form = init_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const fs::path file = given.contains("file") ? argument_given(given, "file") : usual_file;
    const auto data = data_given(given, fs::absolute(file).parent_path());
    write_new(file, spec_template(name_of(file), data));
    const auto written = printable(file.string());
    print(fmt::format("written to {0}; try: convoy plan {0}\n", written),
          fmt::format("written to {}", file.string()));
    return 0;
}

}  // namespace convoy
