#include "data/npy_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "data/drawn_split.hpp"
#include "data/npy_values.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

NpyArray open(const fs::path& folder, const std::string& path, bool in_memory) {
    try {
        return {folder / path, in_memory};
    } catch (const MissingFileError& error) {
        if (fs::path(path).is_absolute()) throw;
        throw MissingFileError(
            fmt::format("{}; a relative path is looked for beside the spec, and then in the data folder "
                        "(--data or CONVOY_DATA)",
                        error.what()));
    }
}

/// Images and their labels, from one list of files each.
struct Part {
    std::vector<NpyArray> images;
    std::vector<std::int32_t> labels;

    Part(const fs::path& folder, const Paths& image_paths, const Paths& label_paths, std::int64_t most_label,
         bool in_memory) {
        for (const auto& path : label_paths) {
            const auto more = read_npy_labels(open(folder, path, false), most_label);
            labels.insert(labels.end(), more.begin(), more.end());
        }
        std::int64_t count = 0;
        for (const auto& path : image_paths) {
            images.push_back(open(folder, path, in_memory));
            count += images.back().size();
        }
        if (count > std::numeric_limits<std::uint32_t>::max()) {
            throw DataError(fmt::format("{}: {} examples, expected at most {}", images.front().name(), count,
                                        std::numeric_limits<std::uint32_t>::max()));
        }
        if (count != static_cast<std::int64_t>(labels.size())) {
            throw DataError(
                fmt::format("{}{}: {} examples, but {}{} holds {} labels", images.front().name(),
                            images.size() > 1 ? " and those behind it" : "", count, label_paths.front(),
                            label_paths.size() > 1 ? " with those behind it" : "", labels.size()));
        }
    }
};

/// Every file of a dataset.
struct Files {
    Part train;
    std::optional<Part> test;
};

std::string kind_of(const NpyHeader& header) {
    return fmt::format("{} of '{}'", header.shape.without_batch().text(), header.type_name().descr);
}

void check_alike(std::span<const NpyArray> files, const NpyArray& first) {
    for (const auto& file : files) {
        if (kind_of(file.header()) == kind_of(first.header())) continue;
        throw DataError(fmt::format("{}: found examples of {}, expected {} as in {}", file.name(),
                                    kind_of(file.header()), kind_of(first.header()), first.name()));
    }
}

Files open_files(const NpySpec& spec, const fs::path& folder, bool in_memory) {
    if (spec.test_images.has_value() != spec.test_labels.has_value() ||
        spec.test_images.has_value() == spec.test_fraction.has_value()) {
        throw DataError(
            "$.dataset.test_fraction: expected either this, or both test_images and test_labels: what is "
            "tested on");
    }
    const auto most_label = spec.classes.value_or(npy::most_classes) - 1;
    Files files{.train = Part(folder, spec.images, spec.labels, most_label, in_memory), .test = {}};
    if (spec.test_images)
        files.test.emplace(folder, *spec.test_images, *spec.test_labels, most_label, in_memory);
    check_alike(files.train.images, files.train.images.front());
    if (files.test) check_alike(files.test->images, files.train.images.front());
    return files;
}

/// How the arrays of a dataset become images of C,H,W.
struct ImageForm {
    Shape shape;
    NpyConversion conversion;
};

ImageForm form_of(const NpySpec& spec, const NpyArray& first) {
    const auto& shape = first.header().shape;
    constexpr double of_bytes = 1.0 / 255.0;
    NpyConversion conversion{
        .scale = spec.scale.value_or(first.header().type == NpyType::u1 ? of_bytes : 1.0),
        .channels_last = 1};
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

std::int64_t count_classes(const NpySpec& spec, const Files& files) {
    if (spec.classes) return *spec.classes;
    auto largest = std::ranges::max(files.train.labels);
    if (files.test) largest = std::max(largest, std::ranges::max(files.test->labels));
    return std::int64_t{largest} + 1;
}

DatasetInfo info_of(const NpySpec& spec, const Files& files) {
    auto train = static_cast<std::int64_t>(files.train.labels.size());
    auto test = static_cast<std::int64_t>(files.test ? files.test->labels.size() : 0);
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
    return {.name = std::string(npy_dataset),
            .example_shape = form_of(spec, files.train.images.front()).shape,
            .classes = count_classes(spec, files),
            .train_examples = train,
            .test_examples = test,
            .generated = false};
}

Dataset dataset_of(Part part, const DatasetInfo& info, const NpyConversion& conversion) {
    std::vector<std::int64_t> file_sizes;
    for (const auto& file : part.images) file_sizes.push_back(file.size());
    return {info.example_shape, info.classes, std::move(part.labels),
            std::make_shared<NpyValues>(std::move(part.images), conversion), file_sizes};
}

const NpySpec& npy_of(const DatasetSpec& spec) {
    if (spec.npy) return *spec.npy;
    throw DataError("$.dataset.images: missing, expected the NPY files of the dataset");
}

}  // namespace

DatasetInfo npy_dataset_info(const DatasetSpec& spec, const fs::path& data_folder) {
    const auto& npy = npy_of(spec);
    return info_of(npy, open_files(npy, data_folder, false));
}

NpyDataset load_npy_dataset(const DatasetSpec& spec, const fs::path& data_folder, bool cache) {
    const auto& npy = npy_of(spec);
    auto files = open_files(npy, data_folder, cache);
    auto info = info_of(npy, files);
    const auto sizes = split_sizes(spec, info);
    const auto conversion = form_of(npy, files.train.images.front()).conversion;
    const auto all = dataset_of(std::move(files.train), info, conversion);
    const auto split = draw_split({.examples = all.size(),
                                   .train = sizes.train,
                                   .validation = sizes.validation,
                                   .test = files.test ? 0 : info.test_examples,
                                   .seed = npy.split_seed});
    auto test = files.test ? dataset_of(std::move(*files.test), info, conversion) : all.select(split.test);
    return {.info = std::move(info), .train = all.select(split.train), .test = std::move(test)};
}

}  // namespace convoy
