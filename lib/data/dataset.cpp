#include "data/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/error.hpp"
#include "data/cifar10.hpp"
#include "data/cifar10_dataset.hpp"
#include "data/drawn_landcover.hpp"
#include "data/fetched_data.hpp"
#include "data/idx_dataset.hpp"
#include "data/interleave.hpp"
#include "data/npy_dataset.hpp"
#include "data/prepared_values.hpp"
#include "data/spectra.hpp"
#include "data/synthetic_digits.hpp"

namespace convoy {
namespace {

/// Examples of one part of a dataset, as a field asks for them.
std::int64_t examples_wanted(const std::optional<std::int64_t>& wanted, std::int64_t all, const char* field,
                             const DatasetInfo& info) {
    const auto most = info.generated ? most_synthetic_digits : all;
    const auto count = wanted.value_or(all);
    if (count < 1 || count > most) {
        throw DataError(fmt::format("$.dataset.{}: {} is not between 1 and the {} examples that {} has",
                                    field, count, most, info.name));
    }
    return count;
}

DataSplits cut(const SplitSizes& sizes, const Dataset& train, const Dataset& test) {
    DataSplits splits{train.slice(0, sizes.train), std::nullopt, test.slice(0, sizes.test)};
    if (sizes.validation > 0) splits.validation = train.slice(sizes.train, sizes.validation);
    return splits;
}

}  // namespace

Dataset::Dataset(ExampleShape shape, std::int64_t classes, std::vector<std::int32_t> labels,
                 std::shared_ptr<const ExampleValues> values, std::span<const std::int64_t> file_sizes)
    : Dataset(std::move(shape), classes, std::ssize(labels), nullptr, std::move(values), file_sizes) {
    labels_ = std::make_shared<const Labels>(std::move(labels));
}

Dataset Dataset::unlabelled(ExampleShape shape, std::int64_t classes, std::int64_t examples,
                            std::shared_ptr<const ExampleValues> values,
                            std::span<const std::int64_t> file_sizes) {
    return {std::move(shape), classes, examples, nullptr, std::move(values), file_sizes};
}

Dataset::Dataset(ExampleShape shape, std::int64_t classes, std::int64_t examples,
                 std::shared_ptr<const Labels> labels, std::shared_ptr<const ExampleValues> values,
                 std::span<const std::int64_t> file_sizes)
    : shape_(std::move(shape)),
      classes_(classes),
      count_(examples),
      labels_(std::move(labels)),
      values_(std::move(values)),
      file_ends_(file_sizes.begin(), file_sizes.end()) {
    if (file_ends_.empty()) file_ends_.push_back(count_);
    std::partial_sum(file_ends_.begin(), file_ends_.end(), file_ends_.begin());
}

std::span<const std::int32_t> Dataset::labels() const {
    if (!has_labels()) return {};
    return std::span(*labels_).subspan(static_cast<std::size_t>(first_), static_cast<std::size_t>(count_));
}

double Dataset::quantity(std::uint32_t example) const {
    if (example >= count_ || !scale_ || (!quantities_ && !has_labels()))
        throw InternalError("the quantity of an example is read that is not known");
    if (!quantities_) return scale_->centre(labels()[example]);
    return quantities_->at(static_cast<std::size_t>(first_) + example);
}

Dataset Dataset::with_scale(LabelScale scale, std::vector<double> quantities) const {
    if (first_ != 0 || (!quantities.empty() && std::ssize(quantities) != count_))
        throw InternalError(fmt::format("{} true values of {} examples", quantities.size(), count_));
    Dataset scaled = *this;
    scaled.scale_ = std::move(scale);
    scaled.quantities_ =
        quantities.empty() ? nullptr : std::make_shared<const std::vector<double>>(std::move(quantities));
    return scaled;
}

void Dataset::read(std::uint32_t example, std::span<float> into) const {
    if (example >= count_ || static_cast<std::int64_t>(into.size()) != shape_.elements()) {
        throw InternalError(
            fmt::format("example {} of {} read into {} values", example, count_, into.size()));
    }
    if (!has_values()) throw InternalError("values of examples are read that were not wanted");
    values_->read(static_cast<std::uint32_t>(first_) + example, into);
}

std::vector<float> Dataset::mean() const {
    std::vector<float> example(static_cast<std::size_t>(shape_.elements()));
    std::vector<double> sums(example.size(), 0.0);
    for (std::int64_t i = 0; i < count_; ++i) {
        read(static_cast<std::uint32_t>(i), example);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(example[k]);
    }
    std::ranges::transform(sums, example.begin(),
                           [&](double sum) { return static_cast<float>(sum / static_cast<double>(count_)); });
    return example;
}

Dataset Dataset::without_mean(const std::vector<float>& mean) const {
    if (static_cast<std::int64_t>(mean.size()) != shape_.elements())
        throw InternalError("a mean of another shape than the examples");
    Dataset centred = *this;
    centred.values_ = std::make_shared<WithoutMean>(values_, mean);
    return centred;
}

Dataset Dataset::prepared(Prepare when, PreparedStore place) const {
    if (when == Prepare::each_time || !has_values()) return *this;
    const auto values = std::make_shared<const PreparedValues>(
        values_, static_cast<std::uint32_t>(first_), static_cast<std::uint32_t>(count_),
        static_cast<std::size_t>(shape_.elements()), place);
    if (when == Prepare::ahead) values->prepare_all();
    Dataset kept = *this;
    kept.values_ = values;
    return kept;
}

Dataset Dataset::slice(std::int64_t first, std::int64_t count) const {
    if (first < 0 || count < 0 || first + count > count_) {
        throw InternalError(
            fmt::format("slice of {} examples from {} on of a dataset of {}", count, first, count_));
    }
    Dataset part = *this;
    part.first_ += first;
    part.count_ = count;
    return part;
}

Dataset Dataset::only(const DataWanted& wanted) const {
    Dataset part = *this;
    if (!wanted.values) part.values_ = nullptr;
    if (!wanted.labels) {
        part.labels_ = nullptr;
        part.quantities_ = nullptr;
    }
    return part;
}

Dataset Dataset::select(std::vector<std::uint32_t> examples) const {
    Labels chosen;
    chosen.reserve(has_labels() ? examples.size() : 0);
    std::vector<double> quantities;
    for (const auto example : examples)
        if (quantities_) quantities.push_back(quantity(example));
    std::vector<std::int64_t> stretches;
    auto file_before = file_ends_.end();
    const auto all_labels = labels();
    for (auto& example : examples) {
        if (has_labels()) chosen.push_back(all_labels[example]);
        example += static_cast<std::uint32_t>(first_);
        const auto file = std::ranges::upper_bound(file_ends_, std::int64_t{example});
        if (file != file_before) stretches.push_back(0);
        ++stretches.back();
        file_before = file;
    }
    const auto count = std::ssize(examples);
    auto labels_of_chosen = has_labels() ? std::make_shared<const Labels>(std::move(chosen)) : nullptr;
    auto values = has_values() ? std::make_shared<Selected>(values_, std::move(examples)) : nullptr;
    const Dataset part{shape_, classes_, count, std::move(labels_of_chosen), std::move(values), stretches};
    return scale_ ? part.with_scale(*scale_, std::move(quantities)) : part;
}

std::vector<std::int64_t> Dataset::file_sizes() const {
    std::vector<std::int64_t> sizes;
    auto begin = first_;
    for (const auto end : file_ends_) {
        const auto stop = std::min(end, first_ + count_);
        if (stop <= begin) continue;
        sizes.push_back(stop - begin);
        begin = stop;
    }
    return sizes;
}

Dataset Dataset::interleaved(const InterleaveSpec& spec) const {
    const auto sizes = file_sizes();
    if (sizes.size() < 2 || spec.cycle_length == 1) return *this;
    auto all = select(interleaved_order(sizes, spec));
    all.file_ends_ = {count_};
    return all;
}

std::span<const DatasetInfo> known_datasets() {
    static const std::array<DatasetInfo, 6> all{{
        {"mnist", {1, 28, 28}, 10, 60000, 10000, false},
        {"fashion_mnist", {1, 28, 28}, 10, 60000, 10000, false},
        {"cifar10", {3, 32, 32}, cifar10::classes, 50000, 10000, false},
        {"synthetic_digits", {1, 28, 28}, 10, 10000, 2000, true},
        {std::string(spectra_dataset),
         {1, 1, spectrum_bins},
         SpectraSpec{}.classes,
         2000,
         1000,
         true,
         spectrum_bins * std::int64_t{sizeof(float)}},
        {std::string(drawn_landcover_dataset), drawn_landcover_shape(), drawn_landcover_classes, 2260, 570,
         true, drawn_landcover_shape().elements() * std::int64_t{sizeof(float)}},
    }};
    return all;
}

const DatasetInfo& dataset_info(std::string_view name) {
    const auto all = known_datasets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const auto& info : all) names.push_back(info.name);
    names.emplace_back(npy_dataset);
    names.emplace_back(hdf5_dataset);
    throw DataError(
        fmt::format("$.dataset.name: \"{}\" is not a dataset; there are {}", name, fmt::join(names, ", ")));
}

namespace {

/// As with_fetched_paths. Throws MissingFileError, which names the field, if a file is not in the cache.
DatasetSpec with_files_in_cache(const DatasetSpec& spec, const std::filesystem::path& data_folder) {
    for (const auto& [field, file, folder] : fetched_files(spec, data_folder)) {
        if (is_there(folder / file.name)) continue;
        throw MissingFileError(
            fmt::format("$.dataset.{}: {}: is not there; `convoy dataset fetch SPEC` fetches it", field,
                        (folder / file.name).string()));
    }
    return with_fetched_paths(spec, data_folder);
}

}  // namespace

DatasetInfo dataset_info(const DatasetSpec& spec, const std::filesystem::path& data_folder) {
    if (is_of_arrays(spec.name)) return npy_dataset_info(with_files_in_cache(spec, data_folder), data_folder);
    auto info = dataset_info(spec.name);
    if (spec.spectra) info.classes = spec.spectra->classes;
    if (info.generated || info.name == "cifar10") return info;
    const auto folder = folder_of_known(spec, data_folder);
    info.train_examples = count_idx_examples(info, folder, idx_train_files).value_or(info.train_examples);
    info.test_examples = count_idx_examples(info, folder, idx_test_files).value_or(info.test_examples);
    return info;
}

SplitSizes split_sizes(const DatasetSpec& spec, const DatasetInfo& info) {
    const auto all = examples_wanted(spec.train_examples, info.train_examples, "train_examples", info);
    const auto test = examples_wanted(spec.test_examples, info.test_examples, "test_examples", info);
    const auto held_out = std::llround(static_cast<double>(all) * spec.validation_fraction);
    if (spec.validation_fraction > 0.0 && (held_out < 1 || held_out >= all)) {
        throw DataError(
            fmt::format("$.dataset.validation_fraction: {} of {} training examples leaves {} to train on and "
                        "{} to validate on; both need one at least",
                        spec.validation_fraction, all, all - held_out, held_out));
    }
    return {all - held_out, held_out, test};
}

namespace {

/// How the examples of a dataset are read.
struct Reading {
    bool cache;
    DataWanted wanted;
};

/// The training and the test examples that there are, or as many as the spec may use.
std::pair<Dataset, Dataset> load_files(const DatasetSpec& spec, const DatasetInfo& info,
                                       const std::filesystem::path& folder, const Reading& reading) {
    const auto& [cache, wanted] = reading;
    if (info.name != "cifar10") {
        return {load_idx_dataset(info, folder, idx_train_files, cache, wanted),
                load_idx_dataset(info, folder, idx_test_files, cache, wanted)};
    }
    const auto train = spec.train_examples.value_or(info.train_examples);
    const auto test = spec.test_examples.value_or(info.test_examples);
    return {load_cifar10(info, folder, cifar10::train_files, train, cache).only(wanted),
            load_cifar10(info, folder, cifar10::test_files, test, cache).only(wanted)};
}

std::pair<Dataset, Dataset> draw_spectra(const SpectraSpec& spec, const std::filesystem::path& data_folder,
                                         std::uint64_t seed, const SplitSizes& sizes,
                                         const Reading& reading) {
    const auto& [cache, wanted] = reading;
    std::shared_ptr<const SpectrumTemplates> templates;
    if (wanted.values) {
        templates = std::make_shared<const SpectrumTemplates>(
            spec.template_dir ? read_templates(data_folder / *spec.template_dir, wavelengths_at_rest())
                              : analytic_templates());
    }
    const auto own_seed = spec.seed.value_or(seed);
    return {drawn_spectra(spec, templates, own_seed, SpectraSplit::train, sizes.train + sizes.validation,
                          cache, wanted),
            drawn_spectra(spec, templates, own_seed, SpectraSplit::test, sizes.test, cache, wanted)};
}

/// The training and the test examples of a dataset that convoy draws.
std::pair<Dataset, Dataset> draw(const DatasetSpec& spec, const std::filesystem::path& data_folder,
                                 std::uint64_t seed, const SplitSizes& sizes, const Reading& reading) {
    const auto& [cache, wanted] = reading;
    const auto all = sizes.train + sizes.validation;
    if (spec.name == spectra_dataset)
        return draw_spectra(spec.spectra.value_or(SpectraSpec{}), data_folder, seed, sizes, reading);
    if (spec.name == drawn_landcover_dataset) {
        return {drawn_landcover(seed, LandcoverSplit::train, all, cache, wanted),
                drawn_landcover(seed, LandcoverSplit::test, sizes.test, cache, wanted)};
    }
    return {synthetic_digits(seed, SyntheticSplit::train, all, cache, wanted),
            synthetic_digits(seed, SyntheticSplit::test, sizes.test, cache, wanted)};
}

DataSplits load_splits(const DatasetSpec& spec, const std::filesystem::path& data_folder, std::uint64_t seed,
                       const Reading& reading) {
    const auto& [cache, wanted] = reading;
    if (is_of_arrays(spec.name)) {
        const auto [info, train, test] =
            load_npy_dataset(with_files_in_cache(spec, data_folder), data_folder, cache, wanted);
        return cut(split_sizes(spec, info), train, test);
    }
    auto info = dataset_info(spec.name);
    if (info.generated) {
        const auto sizes = split_sizes(spec, info);
        const auto [train, test] = draw(spec, data_folder, seed, sizes, reading);
        return cut(sizes, train, test);
    }
    const auto [train, test] = load_files(spec, info, folder_of_known(spec, data_folder), reading);
    if (info.name != "cifar10") {
        info.train_examples = train.size();
        info.test_examples = test.size();
    }
    return cut(split_sizes(spec, info), train, test);
}

}  // namespace

DataSplits load_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, std::uint64_t seed,
                        bool cache, const DataWanted& wanted) {
    auto splits = load_splits(spec, data_folder, seed, {cache, wanted});
    if (!spec.subtract_mean || !wanted.values) return splits;
    const auto mean = splits.train.mean();
    splits.train = splits.train.without_mean(mean);
    if (splits.validation) splits.validation = splits.validation->without_mean(mean);
    splits.test = splits.test.without_mean(mean);
    return splits;
}

}  // namespace convoy
