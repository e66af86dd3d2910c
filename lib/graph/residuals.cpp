#include "graph/residuals.hpp"

#include <string>

#include "tensor/tensor_names.hpp"

namespace convoy {

void add_residuals(Graph& graph) {
    for (auto& parameter : graph.parameters) {
        if (!parameter.trained) continue;
        const TensorInfo value = graph.tensor(parameter.value);
        parameter.residual = graph.add_tensor(
            {value.name + std::string(residual_suffix), value.shape, TensorRole::residual, false});
    }
}

}  // namespace convoy
