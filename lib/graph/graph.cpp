#include "graph/graph.hpp"

namespace convoy {

TensorId Graph::add_tensor(TensorInfo info) {
    tensors.push_back(std::move(info));
    return static_cast<TensorId>(tensors.size() - 1);
}

std::int64_t Graph::parameter_elements() const {
    std::int64_t sum = 0;
    for (const auto& parameter : parameters) sum += tensor(parameter.value).shape.elements();
    return sum;
}

std::int64_t Graph::trained_elements() const {
    std::int64_t sum = 0;
    for (const auto& parameter : parameters) {
        if (parameter.trained) sum += tensor(parameter.value).shape.elements();
    }
    return sum;
}

}  // namespace convoy
