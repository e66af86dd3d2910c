#include "data/npy_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "data/array_file.hpp"
#include "data/drawn_split.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// Where arrays are, and how they are opened.
struct Opening {
    fs::path folder;
    ArrayFormat format;
    std::size_t chunk_cache_bytes;  ///< of HDF5
};

ArrayFile open_at(const Opening& from, const ArrayPlace& place, bool in_memory) {
    if (from.format == ArrayFormat::npy) return {from.folder / place.file, in_memory};
    return {Hdf5Array(from.folder / place.file, place.name, from.chunk_cache_bytes), in_memory};
}

/// field: of the spec, for errors.
ArrayFile open(const Opening& from, const std::string& path, bool in_memory, const std::string& field) {
    try {
        return open_at(from, array_place(path, from.format).value_or(ArrayPlace{.file = path}), in_memory);
    } catch (const MissingFileError& error) {
        constexpr auto places =
            "; a relative path is looked for beside the spec, and then in the data folder (--data or "
            "CONVOY_DATA)";
        throw MissingFileError(fmt::format("$.dataset.{}: {}{}", field, error.what(),
                                           fs::path(path).is_absolute() ? "" : places));
    }
}

/// The field of a spec that has the files of an input.
std::string field_of(const NpySpec& spec, const NpyInput& input, bool test) {
    if (!spec.named()) return test ? "test_images" : "images";
    return fmt::format("inputs.{}{}", input.name, test ? ".test_files" : "");
}

enum class PartUse : std::uint8_t { train, test };

/// What error messages call a list of files.
std::string name_of(const std::string& first, std::size_t files, const char* others) {
    return files > 1 ? fmt::format("{} {} those behind it", first, others) : first;
}

/// The files of every input, as NpySpec has them, and the labels of what they hold.
struct Part {
    std::vector<std::vector<ArrayFile>> inputs;
    std::vector<std::int32_t> labels;

    Part(const NpySpec& spec, PartUse use, const fs::path& folder, bool in_memory) {
        const bool is_test = use == PartUse::test;
        const Opening from{.folder = folder,
                           .format = spec.format,
                           .chunk_cache_bytes = static_cast<std::size_t>(spec.chunk_cache_bytes)};
        const auto most_label = spec.classes.value_or(npy::most_classes) - 1;
        const auto& label_paths = use == PartUse::train ? spec.labels : *spec.test_labels;
        for (const auto& path : label_paths) {
            const auto more =
                read_labels(open(from, path, false, is_test ? "test_labels" : "labels"), most_label);
            labels.insert(labels.end(), more.begin(), more.end());
        }
        const auto labels_name = name_of(label_paths.front(), label_paths.size(), "with");
        for (const auto& input : spec.inputs) {
            auto& files = inputs.emplace_back();
            for (const auto& path : use == PartUse::train ? input.files : *input.test_files)
                files.push_back(open(from, path, in_memory, field_of(spec, input, is_test)));
            check_count(files, labels_name);
        }
    }

    [[nodiscard]] std::int64_t size() const { return std::ssize(labels); }

  private:
    void check_count(const std::vector<ArrayFile>& files, const std::string& labels_name) const {
        std::int64_t count = 0;
        for (const auto& file : files) count += file.size();
        if (count > std::numeric_limits<std::uint32_t>::max()) {
            throw DataError(fmt::format("{}: {} examples, expected at most {}", files.front().name(), count,
                                        std::numeric_limits<std::uint32_t>::max()));
        }
        if (count == size()) return;
        throw DataError(fmt::format("{}: {} examples, but {} holds {} labels",
                                    name_of(files.front().name(), files.size(), "and"), count, labels_name,
                                    size()));
    }
};

/// Every file of a dataset.
struct Files {
    Part train;
    std::optional<Part> test;
};

std::string kind_of(const ArrayForm& header) {
    return fmt::format("{} of '{}'", header.shape.without_batch().text(), header.type_name().descr);
}

/// All files of one input have one type and shape.
void check_alike(const Part& part, const Part& train) {
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
        const auto& first = train.inputs[i].front();
        for (const auto& file : part.inputs[i]) {
            if (kind_of(file.form()) == kind_of(first.form())) continue;
            throw DataError(fmt::format("{}: found examples of {}, expected {} as in {}", file.name(),
                                        kind_of(file.form()), kind_of(first.form()), first.name()));
        }
    }
}

/// What is tested on is told in one way, for labels and every input alike.
void check_split(const NpySpec& spec) {
    const bool by_file = spec.test_labels.has_value();
    const bool alike = std::ranges::all_of(
        spec.inputs, [&](const NpyInput& input) { return input.test_files.has_value() == by_file; });
    if (alike && by_file != spec.test_fraction.has_value()) return;
    throw DataError(fmt::format(
        "$.dataset.test_fraction: expected either this, or both {} and test_labels, for the test set",
        spec.named() ? "the test_files of every input" : "test_images"));
}

Files open_files(const NpySpec& spec, const fs::path& folder, bool in_memory) {
    check_split(spec);
    Files files{.train = Part(spec, PartUse::train, folder, in_memory), .test = {}};
    if (spec.test_labels) files.test.emplace(spec, PartUse::test, folder, in_memory);
    check_alike(files.train, files.train);
    if (files.test) check_alike(*files.test, files.train);
    return files;
}

/// How the arrays of an input become images of C,H,W.
struct ImageForm {
    Shape shape;
    ArrayConversion conversion;
};

/// Sequences C,L become images C,1,L.
ImageForm form_of_sequences(ImageLayout layout, const ArrayFile& first, ArrayConversion conversion) {
    const auto& shape = first.form().shape;
    if (shape.rank() != 3)
        throw DataError(
            fmt::format("{}: found an array of {}, expected 3 dimensions for the layout of sequences: "
                        "examples, channels and length",
                        first.name(), shape.text()));
    if (layout == ImageLayout::sequence_channels_first) return {{shape[1], 1, shape[2]}, conversion};
    conversion.channels_last = shape[2];
    return {{shape[2], 1, shape[1]}, conversion};
}

ImageForm form_of(const NpyInput& spec, const ArrayFile& first) {
    const auto& shape = first.form().shape;
    constexpr double of_bytes = 1.0 / 255.0;
    ArrayConversion conversion{
        .scale = spec.scale.value_or(first.form().type == NpyType::u1 ? of_bytes : 1.0), .channels_last = 1};
    if (spec.layout == ImageLayout::sequence_channels_first ||
        spec.layout == ImageLayout::sequence_channels_last)
        return form_of_sequences(spec.layout, first, conversion);
    switch (shape.rank()) {
        case 1: return {{1, 1, 1}, conversion};
        case 2: return {{1, 1, shape[1]}, conversion};
        case 3: return {{1, shape[1], shape[2]}, conversion};
        case 4: break;
        default:
            throw DataError(
                fmt::format("{}: found an array of {}, expected 1 to 4 dimensions, examples first",
                            first.name(), shape.text()));
    }
    if (spec.layout == ImageLayout::channels_first) return {{shape[1], shape[2], shape[3]}, conversion};
    conversion.channels_last = shape[3];
    return {{shape[3], shape[1], shape[2]}, conversion};
}

/// The forms of all inputs, as NpySpec has them.
std::vector<ImageForm> forms_of(const NpySpec& spec, const Part& part) {
    std::vector<ImageForm> forms;
    for (std::size_t i = 0; i < part.inputs.size(); ++i)
        forms.push_back(form_of(spec.inputs[i], part.inputs[i].front()));
    return forms;
}

ExampleShape example_shape(const NpySpec& spec, const std::vector<ImageForm>& forms) {
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < forms.size(); ++i) inputs.push_back({spec.inputs[i].name, forms[i].shape});
    return ExampleShape(std::move(inputs));
}

std::int64_t count_classes(const NpySpec& spec, const Files& files) {
    if (spec.classes) return *spec.classes;
    auto largest = std::ranges::max(files.train.labels);
    if (files.test) largest = std::max(largest, std::ranges::max(files.test->labels));
    return std::int64_t{largest} + 1;
}

/// The bytes of one example in its files.
std::int64_t example_bytes(const Part& part) {
    Checked sum;
    for (const auto& files : part.inputs) {
        const auto& header = files.front().form();
        sum += Checked(header.shape.without_batch().elements()) *
               static_cast<std::int64_t>(header.type_name().bytes);
    }
    return sum.value();
}

DatasetInfo info_of(const NpySpec& spec, const Files& files) {
    auto train = files.train.size();
    auto test = files.test ? files.test->size() : 0;
    if (!files.test) {
        test = std::llround(static_cast<double>(train) * *spec.test_fraction);
        if (test < 1 || test >= train) {
            throw DataError(
                fmt::format("$.dataset.test_fraction: {} of {} examples leaves {} to train on and {} to test "
                            "on; both need one at "
                            "least",
                            *spec.test_fraction, train, train - test, test));
        }
        train -= test;
    }
    return {.name = std::string(spec.format == ArrayFormat::hdf5 ? hdf5_dataset : npy_dataset),
            .example_shape = example_shape(spec, forms_of(spec, files.train)),
            .classes = count_classes(spec, files),
            .train_examples = train,
            .test_examples = test,
            .generated = false,
            .example_bytes = example_bytes(files.train)};
}

/// Where files are read in turn it is those of the input that is cut into most.
std::vector<std::int64_t> file_sizes(const Part& part) {
    std::vector<std::int64_t> sizes;
    const auto files = [](const auto& input) { return input.size(); };
    for (const auto& file : *std::ranges::max_element(part.inputs, {}, files)) sizes.push_back(file.size());
    return sizes;
}

std::shared_ptr<const ExampleValues> values_of(Part& part, const std::vector<ImageForm>& forms) {
    std::vector<SideBySide::Part> inputs;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        inputs.push_back({std::make_shared<ArrayValues>(std::move(part.inputs[i]), forms[i].conversion),
                          static_cast<std::size_t>(forms[i].shape.elements())});
    }
    if (inputs.size() == 1) return inputs.front().values;
    return std::make_shared<SideBySide>(std::move(inputs));
}

Dataset dataset_of(Part part, const DatasetInfo& info, const std::vector<ImageForm>& forms,
                   const std::optional<LabelScale>& scale, const DataWanted& wanted) {
    const auto sizes = file_sizes(part);
    auto values = wanted.values ? values_of(part, forms) : nullptr;
    if (!wanted.labels)
        return Dataset::unlabelled(info.example_shape, info.classes, part.size(), std::move(values), sizes);
    const Dataset all{info.example_shape, info.classes, std::move(part.labels), std::move(values), sizes};
    return scale ? all.with_scale(*scale) : all;
}

const NpySpec& npy_of(const DatasetSpec& spec) {
    if (spec.npy) return *spec.npy;
    throw DataError("$.dataset.images: missing, expected the files of the dataset");
}

}  // namespace

DatasetInfo npy_dataset_info(const DatasetSpec& spec, const fs::path& data_folder) {
    const auto& npy = npy_of(spec);
    return info_of(npy, open_files(npy, data_folder, false));
}

NpyDataset load_npy_dataset(const DatasetSpec& spec, const fs::path& data_folder, bool cache,
                            const DataWanted& wanted) {
    const auto& npy = npy_of(spec);
    auto files = open_files(npy, data_folder, cache && wanted.values);
    auto info = info_of(npy, files);
    const auto sizes = split_sizes(spec, info);
    const auto forms = forms_of(npy, files.train);
    const auto all = dataset_of(std::move(files.train), info, forms, npy.label_scale, wanted);
    const auto split = draw_split({.examples = all.size(),
                                   .train = sizes.train,
                                   .validation = sizes.validation,
                                   .test = files.test ? 0 : info.test_examples,
                                   .seed = npy.split_seed});
    auto test = files.test ? dataset_of(std::move(*files.test), info, forms, npy.label_scale, wanted)
                           : all.select(split.test);
    return {.info = std::move(info), .train = all.select(split.train), .test = std::move(test)};
}

}  // namespace convoy
