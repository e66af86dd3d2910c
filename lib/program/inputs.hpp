#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "data/batch.hpp"
#include "program/program.hpp"

namespace convoy {

/// Hands the inputs of a batch to a program's input tensors: calls put(tensor, values, first) for pieces that
/// lie side by side in the batch, first being where a piece begins in the tensor (N,C,H,W). One input is one
/// piece; of several each example's is. A back-end copies them where its memory is, so that sorting them out
/// costs no copy. dataset: the program's operator of that kind, whose last output is the labels. Throws
/// InternalError, before anything else, where the batch does not fit.
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
