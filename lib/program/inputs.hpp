#pragma once

#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "data/batch.hpp"
#include "program/program.hpp"

namespace convoy {

/// The examples of a batch that a dataset operator reads: all, or those of a micro-batch.
inline Batch examples_for(const Operator& dataset, const Batch& batch) {
    const auto& range = dataset.as<DatasetAttributes>().examples;
    if (!range) return batch;
    if (range->first + range->count > batch.size())
        throw InternalError("a micro-batch that is not within its batch");
    const auto first = static_cast<std::size_t>(range->first);
    const auto count = static_cast<std::size_t>(range->count);
    const auto row = batch.values.size() / batch.examples.size();
    auto part = batch;
    part.examples = batch.examples.subspan(first, count);
    if (!batch.values.empty()) part.values = batch.values.subspan(first * row, count * row);
    if (!batch.labels.empty()) part.labels = batch.labels.subspan(first, count);
    return part;
}

/// Cuts one input out of the rows of a batch. It calls put(values, first) for each piece of values that is
/// contiguous in the batch; `first` is the index of the piece's first element in the tensor (N,C,H,W). With
/// one input, the whole batch is one piece. With several inputs, each example is one piece. The back-end
/// copies a piece directly into its own memory, so the cut needs no copy of its own.
///
/// dataset: an operator of the program that reads values. Throws InternalError, before the first call of
/// `put`, if the batch does not fit.
template <typename Put>
void put_input(const Program& program, const Operator& dataset, const Batch& whole, const Put& put) {
    const auto batch = examples_for(dataset, whole);
    const auto& place = dataset.as<DatasetAttributes>();
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const auto elements = size(program.tensor(dataset.outputs.at(0)).shape.elements());
    const auto examples = batch.examples.size();
    const auto row = size(place.row);
    const auto width = examples == 0 ? 0 : elements / examples;
    const auto first = size(place.first);
    if (batch.values.size() != examples * row || elements != examples * width || first + width > row)
        throw InternalError("values of a batch that do not fit their program");
    if (elements == 0) return;
    if (width == row) return put(batch.values, std::size_t{0});
    for (std::size_t n = 0; n < examples; ++n) put(batch.values.subspan(n * row + first, width), n * width);
}

/// The labels of a batch. dataset: an operator of the program that reads labels. Throws InternalError if the
/// batch does not fit.
inline std::span<const std::int32_t> labels_for(const Program& program, const Operator& dataset,
                                                const Batch& whole) {
    const auto batch = examples_for(dataset, whole);
    const auto elements = program.tensor(dataset.outputs.at(0)).shape.elements();
    if (static_cast<std::size_t>(elements) != batch.labels.size() || elements != batch.size())
        throw InternalError("labels of a batch that do not fit their program");
    return batch.labels;
}

}  // namespace convoy
