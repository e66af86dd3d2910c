#include "data/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "data/idx_dataset.hpp"
#include "data/synthetic_digits.hpp"

namespace convoy {
namespace {

Dataset first_examples(const Dataset& all, const std::optional<std::int64_t>& wanted, const char* field,
                       const std::string& name) {
    if (!wanted) return all;
    if (*wanted < 1 || *wanted > all.size()) {
        throw DataError(fmt::format("dataset.{}: {} is not between 1 and the {} examples that {} has", field,
                                    *wanted, all.size(), name));
    }
    return all.slice(0, *wanted);
}

DataSplits split(const DatasetSpec& spec, const Dataset& train, Dataset test) {
    if (spec.validation_fraction == 0.0) return {train, std::nullopt, std::move(test)};
    const auto held_out = std::llround(static_cast<double>(train.size()) * spec.validation_fraction);
    if (held_out < 1 || held_out >= train.size()) {
        throw DataError(
            fmt::format("dataset.validation_fraction: {} of {} training examples leaves {} to train on and "
                        "{} to validate on; both need one at least",
                        spec.validation_fraction, train.size(), train.size() - held_out, held_out));
    }
    const auto kept = train.size() - held_out;
    return {train.slice(0, kept), train.slice(kept, held_out), std::move(test)};
}

DataSplits load_synthetic(const DatasetSpec& spec, const DatasetInfo& info, std::uint64_t seed, bool cache) {
    const auto draw = [&](SyntheticSplit part, const std::optional<std::int64_t>& wanted,
                          std::int64_t otherwise, const char* field) {
        const auto count = wanted.value_or(otherwise);
        if (count < 1 || count > most_synthetic_digits) {
            throw DataError(fmt::format("dataset.{}: {} is not between 1 and the {} that can be drawn", field,
                                        count, most_synthetic_digits));
        }
        return synthetic_digits(seed, part, count, cache);
    };
    return split(spec,
                 draw(SyntheticSplit::train, spec.train_examples, info.train_examples, "train_examples"),
                 draw(SyntheticSplit::test, spec.test_examples, info.test_examples, "test_examples"));
}

}  // namespace

Dataset::Dataset(Shape shape, std::int64_t classes, std::vector<std::int32_t> labels,
                 std::shared_ptr<const ExampleValues> values)
    : shape_(std::move(shape)),
      classes_(classes),
      count_(static_cast<std::int64_t>(labels.size())),
      labels_(std::make_shared<const std::vector<std::int32_t>>(std::move(labels))),
      values_(std::move(values)) {}

std::span<const std::int32_t> Dataset::labels() const {
    return std::span(*labels_).subspan(static_cast<std::size_t>(first_), static_cast<std::size_t>(count_));
}

void Dataset::read(std::uint32_t example, std::span<float> into) const {
    if (example >= count_ || static_cast<std::int64_t>(into.size()) != shape_.elements()) {
        throw InternalError(
            fmt::format("example {} of {} read into {} values", example, count_, into.size()));
    }
    values_->read(static_cast<std::uint32_t>(first_) + example, into);
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

std::span<const DatasetInfo> known_datasets() {
    static const std::array<DatasetInfo, 3> all{{
        {"mnist", {1, 28, 28}, 10, 60000, 10000, false},
        {"fashion_mnist", {1, 28, 28}, 10, 60000, 10000, false},
        {"synthetic_digits", {1, 28, 28}, 10, 10000, 2000, true},
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
    throw DataError(
        fmt::format("dataset.name: \"{}\" is not a dataset; there are {}", name, fmt::join(names, ", ")));
}

DataSplits load_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, std::uint64_t seed,
                        bool cache) {
    const auto& info = dataset_info(spec.name);
    if (info.generated) return load_synthetic(spec, info, seed, cache);
    const auto folder = data_folder / info.name;
    const auto train = load_idx_dataset(info, folder, idx_train_files, cache);
    const auto test = load_idx_dataset(info, folder, idx_test_files, cache);
    return split(spec, first_examples(train, spec.train_examples, "train_examples", info.name),
                 first_examples(test, spec.test_examples, "test_examples", info.name));
}

}  // namespace convoy
