#include "graph/graph.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"

namespace convoy {
namespace {

/// Whether the elements are not more than most_tensor_elements. A product that wraps around is more, too.
bool is_possible(const Shape& shape) {
    try {
        return shape.elements() <= most_tensor_elements;
    } catch (const SizeError&) {
        return false;
    }
}

}  // namespace

void check_size(const TensorInfo& tensor) {
    if (is_possible(tensor.shape)) return;
    throw SizeError(fmt::format("{} is a tensor of {}, and no tensor may have more than 2^45 elements",
                                tensor.name, tensor.shape.text()));
}

TensorId Graph::add_tensor(TensorInfo info) {
    tensors.push_back(std::move(info));
    return static_cast<TensorId>(tensors.size() - 1);
}

std::int64_t Graph::parameter_elements() const {
    Checked sum;
    for (const auto& parameter : parameters) sum += tensor(parameter.value).shape.elements();
    return sum.value();
}

std::int64_t Graph::trained_elements() const {
    Checked sum;
    for (const auto& parameter : parameters) {
        if (parameter.trained) sum += tensor(parameter.value).shape.elements();
    }
    return sum.value();
}

}  // namespace convoy
