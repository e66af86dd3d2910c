#include "plan/data_need.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace convoy {
namespace {

/// The decoded chunks of HDF5 files that a node keeps, in bytes.
std::int64_t kept_chunks(const NpySpec& arrays, Checked all_bytes) {
    std::int64_t files = 0;
    for (const auto& input : arrays.inputs)
        files += std::ssize(input.files) + (input.test_files ? std::ssize(*input.test_files) : 0);
    return std::min((Checked(arrays.chunk_cache_bytes) * files).value(), all_bytes.value());
}

}  // namespace

void add_data(MemoryNeed& need, const ExperimentSpec& spec, const DataShape& shape, const DataRole& role,
              const OwnExamples& own) {
    constexpr std::int64_t value_bytes = 4, label_bytes = 4;
    const auto& pipeline = spec.input_pipeline;
    const auto& sizes = shape.sizes;
    const auto examples = Checked(sizes.train) + sizes.validation + sizes.test;
    if (role.labels) need.add(MemoryPart::data, (examples * label_bytes).value(), "the list of labels");
    if (!role.values) return;
    const auto& arrays = spec.dataset.npy;
    const auto as_read = examples * shape.example_bytes;
    if (pipeline.cache) {
        need.add(MemoryPart::data, as_read.value(), "the dataset");
    } else if (arrays && arrays->format == ArrayFormat::hdf5) {
        need.add(MemoryPart::data, kept_chunks(*arrays, as_read), "the decoded chunks");
    }
    const auto example = Checked(shape.example.elements()) * value_bytes;
    if (pipeline.prepare != Prepare::each_time && pipeline.store == PreparedStore::memory) {
        const bool all = pipeline.prepare == Prepare::ahead;
        const auto kept = all ? examples : Checked(own.of_run);
        need.add(MemoryPart::data, (kept * example).value(), "the store of prepared examples");
    }
    const auto batches = Checked(std::max(pipeline.prefetch, 0)) + 1;
    need.add(MemoryPart::data, (batches * own.of_batch * example).value(), "the queue of batches");
}

}  // namespace convoy
