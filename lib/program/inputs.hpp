#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "data/batch.hpp"
#include "program/program.hpp"

namespace convoy {

/// Splits the rows of a batch into the input tensors of a program. It calls put(tensor, values, first) for
/// each piece of values that is contiguous in the batch; `first` is the index of the piece's first element in
/// the tensor (N,C,H,W). With one input, the whole batch is one piece. With several inputs, each input of
/// each example is one piece. The back-end copies a piece directly into its own memory, so the split needs no
/// copy of its own.
///
/// dataset: the program's operator of that kind; its last output is the labels. Throws InternalError, before
/// the first call of `put`, if the batch does not fit.
template <typename Put>
void put_inputs(const Program& program, const Operator& dataset, const Batch& batch, const Put& put) {
    const auto tensors = std::span(dataset.outputs).first(dataset.outputs.size() - 1);
    const auto elements = [&](TensorId id) {
        return static_cast<std::size_t>(program.tensor(id).shape.elements());
    };
    std::size_t all = 0;
    for (const auto id : tensors) all += elements(id);
    if (all != batch.values.size() || elements(dataset.outputs.back()) != batch.labels.size())
        throw InternalError("a batch that does not fit its program");
    if (tensors.size() == 1) return put(tensors[0], batch.values, std::size_t{0});
    const auto examples = batch.labels.size();
    std::size_t before = 0;  // of this input's values in an example
    for (const auto id : tensors) {
        if (examples == 0) return;
        const auto width = elements(id) / examples;
        for (std::size_t n = 0; n < examples; ++n)
            put(id, batch.values.subspan(n * (all / examples) + before, width), n * width);
        before += width;
    }
}

}  // namespace convoy
