#include "strategy/layer_order.hpp"

#include "graph/operator_name.hpp"
#include "nn/zoo.hpp"

namespace convoy {

LayerOrder::LayerOrder(const ModelSpec& model) {
    for (const auto& layer : resolve_model(model).layers) {
        positions_.emplace(layer.name, names_.size());
        names_.push_back(layer.name);
    }
}

std::size_t LayerOrder::layer_of(const std::string& name) const {
    const auto found = positions_.find(layer_of_operator(name));
    return found == positions_.end() ? names_.size() - 1 : found->second;
}

}  // namespace convoy
