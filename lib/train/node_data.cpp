#include "train/node_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"

namespace convoy {
namespace {

/// A hash of examples that lie evenly in the dataset.
std::string hash_of_sample(const Dataset& data) {
    std::string text;
    std::vector<float> example(static_cast<std::size_t>(data.example_shape().elements()));
    const auto sampled = std::min<std::int64_t>(64, data.size());
    for (std::int64_t i = 0; i < sampled; ++i) {
        data.read(static_cast<std::uint32_t>(i * data.size() / sampled), example);
        text += sha256(std::as_bytes(std::span(example)));
    }
    return text;
}

/// Throws a DataError that says what differs.
void check_shape(const DataShape& found, const DataShape& planned) {
    const auto check = [](const char* what, const auto& is, const auto& expected) {
        if (is == expected) return;
        throw DataError(fmt::format(
            "$.dataset: found {} {}, but the run was planned for {}; keep the files as they are during a run",
            is, what, expected));
    };
    check("as the shape of examples", found.example.text(), planned.example.text());
    check("classes", found.classes, planned.classes);
    check("training examples", found.sizes.train, planned.sizes.train);
    check("validation examples", found.sizes.validation, planned.sizes.validation);
    check("test examples", found.sizes.test, planned.sizes.test);
}

}  // namespace

std::optional<Dataset> NodeData::train() const {
    return splits ? std::optional(splits->train) : std::nullopt;
}

std::optional<Dataset> NodeData::validation() const {
    return splits ? splits->validation : std::nullopt;
}

std::optional<Dataset> NodeData::test() const {
    return splits ? std::optional(splits->test) : std::nullopt;
}

NodeData load_node_data(const NodeAssignment& assignment, const DataRole& role, const DataShape& planned) {
    if (!role.values && !role.labels) return {};
    const auto began = Clock::now();
    const auto& spec = assignment.spec;
    const auto& pipeline = spec.input_pipeline;
    auto data = load_dataset(spec.dataset, assignment.data_folder, spec.seed, pipeline.cache,
                             {.values = role.values, .labels = role.labels});
    check_shape(data_shape(data), planned);
    const auto read = Clock::now();
    if (pipeline.interleave) data.train = data.train.interleaved(*pipeline.interleave);
    const auto interleaved = Clock::now();
    data.train = data.train.prepared(pipeline.prepare, pipeline.store);
    if (data.validation) data.validation = data.validation->prepared(pipeline.prepare, pipeline.store);
    data.test = data.test.prepared(pipeline.prepare, pipeline.store);
    NodeData loaded{.splits = std::move(data)};
    loaded.read_s = Seconds(read - began).count();
    loaded.input.interleave_s = Seconds(interleaved - read).count();
    loaded.input.prepare_s = Seconds(Clock::now() - interleaved).count();
    return loaded;
}

DataShape data_shape(const ExperimentSpec& spec, const std::filesystem::path& data_folder) {
    const auto info = dataset_info(spec.dataset, data_folder);
    return {info.example_shape, info.classes, split_sizes(spec.dataset, info),
            info.example_bytes.value_or(info.example_shape.elements())};
}

DataShape data_shape(const DataSplits& splits) {
    return {splits.train.example_shape(),
            splits.train.classes(),
            {splits.train.size(), splits.validation ? splits.validation->size() : 0, splits.test.size()}};
}

EpochPlan training_batches(const EpochPlan& plan, const NodeData& data) {
    const auto train = data.train();
    return plan.needs_labels() && train && train->has_labels() ? plan.with_labels(train->labels()) : plan;
}

std::vector<std::int64_t> count_labels(const EpochPlan& batches, std::int64_t rank, const NodeData& data) {
    const auto train = data.train();
    if (!train || !train->has_labels()) return {};
    std::vector<std::int64_t> counts(static_cast<std::size_t>(train->classes()));
    const auto labels = train->labels();
    for (const auto example : batches.order_of(rank, 0))
        ++counts.at(static_cast<std::size_t>(labels[example]));
    return counts;
}

Fingerprints data_fingerprints(const DataShape& planned, const NodeData& data, const EpochPlan& batches) {
    const auto& sizes = planned.sizes;
    Fingerprints found;
    found[topic::shape] =
        sha256(fmt::format("{}, {} classes, {} {} {}, {} bytes", planned.example.text(), planned.classes,
                           sizes.train, sizes.validation, sizes.test, planned.example_bytes));
    std::string labels, values;
    for (const auto& split : {data.train(), data.validation(), data.test()}) {
        if (split && split->has_labels()) labels += sha256(std::as_bytes(split->labels()));
        if (split && split->has_values()) values += hash_of_sample(*split);
    }
    if (!labels.empty()) found[topic::labels] = sha256(labels);
    if (!values.empty()) found[topic::values] = sha256(values);
    if (const auto parts = batches.parts_by_label(); !parts.empty())
        found[topic::parts] = sha256(std::as_bytes(parts));
    return found;
}

}  // namespace convoy
