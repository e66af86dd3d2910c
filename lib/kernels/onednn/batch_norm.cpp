#include "kernels/onednn/batch_norm_loops.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/stored.hpp"

namespace convoy::onednn {
namespace {

using Kind = OperatorKind;

/// An activation in an order that the loops can walk.
struct Walk {
    Desc desc;
    ChannelOrder order;
    std::int64_t count;  ///< values that it takes, padding included
};

Walk walk_of(const Planner& planner, TensorId id) {
    auto desc = planner.layout(id).desc;
    // A flattened tensor may still be in the order of its planes; its features are channels here.
    const auto& shape = planner.program().tensor(id).shape;
    if (desc.dims().size() != shape.rank() || !channel_order(desc)) desc = plain(shape, desc.data_type());
    return {desc, channel_order(desc).value(), Layout{desc, {}}.stored_elements()};
}

/// One value a channel, trained or moving.
StorageId channel_values(Planner& planner, TensorId id) {
    const auto shape = planner.program().tensor(id).shape;
    planner.parameter_layout(id, [&] { return Layout{plain(shape), {}}; });
    return planner.storage(id);
}

/// A recipe that runs a loop written for the type of these activations: make(addresses, T()).
template <typename Make>
void add_loop(Planner& planner, const Operator& op, const Walk& walk, std::vector<StorageId> uses,
              const Make& make) {
    planner.add({std::string(operator_name(op.kind)), op.name, std::move(uses), 0,
                 [make, type = walk.desc.data_type()](const Addresses& at) -> Action {
                     return with_stored_type(type, [&](auto value) { return make(at, value); });
                 }});
}

void plan_forward(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    std::vector<StorageId> uses{planner.in_format(op.inputs[0], walk.desc)};
    for (std::size_t i = 1; i < 5; ++i) uses.push_back(channel_values(planner, op.inputs[i]));
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    for (std::size_t i = 1; i < 3; ++i)
        uses.push_back(planner.place(op.outputs[i], plain(planner.program().tensor(op.outputs[i]).shape)));
    const auto scratch = loops::batch_norm_scratch(walk.order);
    uses.push_back(planner.temporary(static_cast<std::size_t>(scratch) * sizeof(float)));
    add_loop(planner, op, walk, uses,
             [uses, walk, scratch, attributes = op.as<BatchNormAttributes>()]<typename T>(const Addresses& at,
                                                                                          T) -> Action {
                 const auto channels = walk.order.channels;
                 const loops::BatchNormForward<T> operands{
                     .x = at.span<const T>(uses[0], walk.count),
                     .gamma = at.span<const float>(uses[1], channels),
                     .beta = at.span<const float>(uses[2], channels),
                     .y = at.span<T>(uses[5], walk.count),
                     .mean = at.span<float>(uses[6], channels),
                     .variance = at.span<float>(uses[7], channels),
                     .moving_mean = at.span<float>(uses[3], channels),
                     .moving_variance = at.span<float>(uses[4], channels),
                     .scratch = at.span<float>(uses[8], scratch)};
                 return [=](const StepContext&) { loops::batch_norm(walk.order, attributes, operands); };
             });
}

/// x, gamma, beta, mean, variance -> y, with the moving statistics or with those that a batch left.
void plan_line(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    std::vector<StorageId> uses{planner.in_format(op.inputs[0], walk.desc)};
    for (std::size_t i = 1; i < 3; ++i) uses.push_back(channel_values(planner, op.inputs[i]));
    const bool moving = op.kind != Kind::recompute_batch_norm;
    for (std::size_t i = 3; i < 5; ++i)
        uses.push_back(moving ? channel_values(planner, op.inputs[i]) : planner.storage(op.inputs[i]));
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    add_loop(
        planner, op, walk, uses,
        [uses, walk, attributes = op.as<BatchNormAttributes>()]<typename T>(const Addresses& at,
                                                                            T) -> Action {
            const auto channels = walk.order.channels;
            const loops::BatchNormInference<T> operands{.x = at.span<const T>(uses[0], walk.count),
                                                        .gamma = at.span<const float>(uses[1], channels),
                                                        .beta = at.span<const float>(uses[2], channels),
                                                        .mean = at.span<const float>(uses[3], channels),
                                                        .variance = at.span<const float>(uses[4], channels),
                                                        .y = at.span<T>(uses[5], walk.count)};
            return [=](const StepContext&) { loops::batch_norm_inference(walk.order, attributes, operands); };
        });
}

/// x, dy, gamma, beta, mean, variance, [addend] -> dx, dgamma, dbeta
void plan_gradient(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    std::vector<StorageId> uses{planner.in_format(op.inputs[0], walk.desc),
                                planner.in_format(op.inputs[1], walk.desc)};
    for (std::size_t i = 2; i < 4; ++i) uses.push_back(channel_values(planner, op.inputs[i]));
    for (std::size_t i = 4; i < 6; ++i) uses.push_back(planner.storage(op.inputs[i]));
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    for (std::size_t i = 1; i < 3; ++i) uses.push_back(planner.persistent(op.outputs[i]));
    const auto scratch = loops::batch_norm_scratch(walk.order);
    uses.push_back(planner.temporary(static_cast<std::size_t>(scratch) * sizeof(float)));
    const bool adds = op.inputs.size() > 6;
    if (adds) uses.push_back(planner.in_format(op.inputs[6], walk.desc));
    add_loop(planner, op, walk, uses,
             [uses, walk, scratch, adds, attributes = op.as<BatchNormAttributes>()]<typename T>(
                 const Addresses& at, T) -> Action {
                 const auto channels = walk.order.channels;
                 const loops::BatchNormBackward<T> operands{
                     .x = at.span<const T>(uses[0], walk.count),
                     .dy = at.span<const T>(uses[1], walk.count),
                     .gamma = at.span<const float>(uses[2], channels),
                     .beta = at.span<const float>(uses[3], channels),
                     .mean = at.span<const float>(uses[4], channels),
                     .variance = at.span<const float>(uses[5], channels),
                     .addend = adds ? at.span<const T>(uses.back(), walk.count) : std::span<const T>(),
                     .dx = at.span<T>(uses[6], walk.count),
                     .dgamma = at.span<float>(uses[7], channels),
                     .dbeta = at.span<float>(uses[8], channels),
                     .scratch = at.span<float>(uses[9], scratch)};
                 return [=](const StepContext&) {
                     loops::batch_norm_gradient(walk.order, attributes, operands);
                 };
             });
}

}  // namespace

void plan_batch_norm(Planner& planner, const Operator& op) {
    switch (op.kind) {
        case Kind::batch_norm:
        case Kind::fused_batch_norm: return plan_forward(planner, op);
        case Kind::batch_norm_inference:
        case Kind::fused_batch_norm_inference:
        case Kind::recompute_batch_norm: return plan_line(planner, op);
        default: return plan_gradient(planner, op);
    }
}

}  // namespace convoy::onednn
