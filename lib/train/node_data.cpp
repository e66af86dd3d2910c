#include "train/node_data.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/clock.hpp"
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

}  // namespace

NodeData load_node_data(const NodeAssignment& assignment) {
    const auto began = Clock::now();
    const auto& spec = assignment.spec;
    const auto& pipeline = spec.input_pipeline;
    NodeData loaded{.splits = load_dataset(spec.dataset, assignment.data_folder, spec.seed, pipeline.cache)};
    auto& data = loaded.splits;
    const auto read = Clock::now();
    if (pipeline.interleave) data.train = data.train.interleaved(*pipeline.interleave);
    const auto interleaved = Clock::now();
    data.train = data.train.prepared(pipeline.prepare, pipeline.store);
    if (data.validation) data.validation = data.validation->prepared(pipeline.prepare, pipeline.store);
    data.test = data.test.prepared(pipeline.prepare, pipeline.store);
    loaded.read_s = Seconds(read - began).count();
    loaded.input.interleave_s = Seconds(interleaved - read).count();
    loaded.input.prepare_s = Seconds(Clock::now() - interleaved).count();
    return loaded;
}

DataShape data_shape(const ExperimentSpec& spec, const std::filesystem::path& data_folder) {
    const auto info = dataset_info(spec.dataset, data_folder);
    return {info.example_shape, info.classes, split_sizes(spec.dataset, info)};
}

DataShape data_shape(const DataSplits& splits) {
    return {splits.train.example_shape(),
            splits.train.classes(),
            {splits.train.size(), splits.validation ? splits.validation->size() : 0, splits.test.size()}};
}

Fingerprints data_fingerprints(const DataSplits& splits) {
    std::string labels, values;
    const auto add = [&](const Dataset& data) {
        if (data.has_labels()) labels += sha256(std::as_bytes(data.labels()));
        if (data.has_values()) values += hash_of_sample(data);
    };
    add(splits.train);
    if (splits.validation) add(*splits.validation);
    add(splits.test);
    Fingerprints found;
    if (!labels.empty()) found[topic::labels] = sha256(labels);
    if (!values.empty()) found[topic::values] = sha256(values);
    return found;
}

}  // namespace convoy
