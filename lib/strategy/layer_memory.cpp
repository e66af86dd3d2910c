#include "strategy/layer_memory.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "plan/step_cost.hpp"

namespace convoy {

LayerMemory::LayerMemory(const ExperimentSpec& spec, const DataShape& shape, const OwnExamples& own,
                         const Program& program, const LayerOrder& order)
    : spec_(spec), parameters_(order.size(), 0.0), activations_(order.size(), 0.0) {
    find_parameters(program, order);
    find_activations(program, order);
    find_data(shape, own, program, order);
}

void LayerMemory::find_parameters(const Program& program, const LayerOrder& order) {
    constexpr double float_bytes = 4.0;
    constexpr double value_and_copy = 2.0;  // a node copies its parameters to save and to compare them
    const double gradients = spec_.strategy.micro_batches > 1 ? 2.0 : 1.0;
    for (const auto& parameter : program.parameters) {
        const auto& value = program.tensor(parameter.value);
        parameters_.at(order.layer_of(value.name)) +=
            static_cast<double>(value.shape.elements()) * float_bytes *
            (value_and_copy + gradients + static_cast<double>(parameter.slots.size()));
    }
}

void LayerMemory::find_activations(const Program& program, const LayerOrder& order) {
    const auto element_bytes = static_cast<double>(activation_bytes(spec_.kernels));
    // What a forward pass writes and a backward pass reads is kept between them.
    std::map<TensorId, std::size_t> written;
    for (const auto& op : program.operators) {
        for (const auto id : op.inputs) {
            const auto found = written.find(id);
            if (op.pass != Pass::backward || found == written.end()) continue;
            activations_.at(found->second) +=
                static_cast<double>(program.tensor(id).shape.elements()) * element_bytes;
            written.erase(found);
        }
        if (op.pass == Pass::forward)
            for (const auto id : op.outputs) written.emplace(id, order.layer_of(op.name));
    }
}

void LayerMemory::find_data(const DataShape& shape, const OwnExamples& own, const Program& program,
                            const LayerOrder& order) {
    const auto bytes_of = [&](const DataRole& role) {
        MemoryNeed need;
        add_data(need, spec_, shape, role, own);
        return static_cast<double>(need.total());
    };
    values_bytes_ = bytes_of({.values = true});
    labels_bytes_ = bytes_of({.labels = true});
    std::set<TensorId> values;
    for (const auto& op : program.operators) {
        if (reads(op, ReadThing::values)) values.insert(op.outputs.begin(), op.outputs.end());
        for (const auto id : op.inputs)
            if (values.contains(id)) read_values_.insert(order.layer_of(op.name));
    }
}

std::int64_t LayerMemory::kept_micro_batches(std::size_t stage) const {
    const auto count = spec_.strategy.micro_batches;
    const auto stages = spec_.strategy.stages.count;
    switch (spec_.strategy.schedule) {
        case PipelineSchedule::one_forward_one_backward:
            return std::min(count, stages - static_cast<std::int64_t>(stage));
        case PipelineSchedule::zero_bubble: return std::min(count, stages);
        case PipelineSchedule::fill_drain: return count;
    }
    throw InternalError("an unknown schedule");
}

double LayerMemory::bytes(LayerRange layers, std::size_t stage) const {
    double parameters = 0.0, activations = 0.0;
    for (auto layer = layers.first; layer < layers.end; ++layer) {
        parameters += parameters_[layer];
        activations += activations_[layer];
    }
    return parameters + activations * static_cast<double>(kept_micro_batches(stage)) /
                            static_cast<double>(spec_.strategy.micro_batches);
}

double LayerMemory::data_bytes(LayerRange layers) const {
    const auto reader = read_values_.lower_bound(layers.first);
    const bool reads_values = reader != read_values_.end() && layers.contains(*reader);
    const bool reads_labels = layers.end == parameters_.size();
    return (reads_values ? values_bytes_ : 0.0) + (reads_labels ? labels_bytes_ : 0.0);
}

}  // namespace convoy
