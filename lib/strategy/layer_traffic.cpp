#include "strategy/layer_traffic.hpp"

#include <map>
#include <utility>

namespace convoy {

LayerTraffic::LayerTraffic(const Program& program, const LayerOrder& order) {
    constexpr double float_bytes = 4.0;
    std::map<TensorId, PassedTensor> passed;
    for (const auto& op : program.operators) {
        const auto layer = order.layer_of(op.name);
        for (const auto id : op.inputs)
            if (const auto found = passed.find(id); found != passed.end())
                found->second.readers.insert(layer);
        for (const auto id : op.outputs) {
            const auto& tensor = program.tensor(id);
            if (op.kind == OperatorKind::dataset || tensor.role != TensorRole::activation) continue;
            passed[id] = {.writer = layer,
                          .readers = {},
                          .bytes = static_cast<double>(tensor.shape.elements()) * float_bytes};
        }
    }
    for (auto& [id, tensor] : passed) {
        tensor.readers.erase(tensor.writer);
        if (!tensor.readers.empty()) tensors_.push_back(std::move(tensor));
    }
}

BytesOfStage LayerTraffic::of(LayerRange layers) const {
    BytesOfStage traffic;
    for (const auto& tensor : tensors_) {
        if (layers.contains(tensor.writer)) {
            const bool leaves =
                !layers.contains(*tensor.readers.begin()) || !layers.contains(*tensor.readers.rbegin());
            if (leaves) traffic.sent += tensor.bytes;
        } else {
            const auto reader = tensor.readers.lower_bound(layers.first);
            if (reader != tensor.readers.end() && layers.contains(*reader)) traffic.received += tensor.bytes;
        }
    }
    return traffic;
}

}  // namespace convoy
