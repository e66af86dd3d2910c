#include <algorithm>

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
void add_walk(Planner& planner, const Operator& op, const Walk& walk, std::vector<StorageId> uses,
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
    add_walk(planner, op, walk, uses,
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
    const bool moving = op.kind == Kind::batch_norm_inference || op.kind == Kind::fused_batch_norm_inference;
    for (std::size_t i = 3; i < 5; ++i)
        uses.push_back(moving ? channel_values(planner, op.inputs[i]) : planner.storage(op.inputs[i]));
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    add_walk(
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

/// What every gradient reads: x, dy, gamma, beta, mean, variance.
std::vector<StorageId> gradient_inputs(Planner& planner, const Operator& op, const Walk& walk) {
    std::vector<StorageId> uses{planner.in_format(op.inputs[0], walk.desc),
                                planner.in_format(op.inputs[1], walk.desc)};
    for (std::size_t i = 2; i < 4; ++i) uses.push_back(channel_values(planner, op.inputs[i]));
    for (std::size_t i = 4; i < 6; ++i) uses.push_back(planner.storage(op.inputs[i]));
    return uses;
}

template <typename T>
loops::BatchNormBackward<T> gradient_operands(const Addresses& at, const std::vector<StorageId>& uses,
                                              const Walk& walk) {
    const auto channels = walk.order.channels;
    return {.x = at.span<const T>(uses[0], walk.count),
            .dy = at.span<const T>(uses[1], walk.count),
            .gamma = at.span<const float>(uses[2], channels),
            .beta = at.span<const float>(uses[3], channels),
            .mean = at.span<const float>(uses[4], channels),
            .variance = at.span<const float>(uses[5], channels),
            .addend = {},
            .dx = {},
            .dgamma = {},
            .dbeta = {},
            .scratch = {}};
}

StorageId scratch_for(Planner& planner, const Walk& walk) {
    return planner.temporary(static_cast<std::size_t>(loops::batch_norm_scratch(walk.order)) * sizeof(float));
}

/// x, dy, gamma, beta, mean, variance, [addend] -> dx, dgamma, dbeta
void plan_gradient(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    auto uses = gradient_inputs(planner, op, walk);
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    for (std::size_t i = 1; i < 3; ++i) uses.push_back(planner.persistent(op.outputs[i]));
    uses.push_back(scratch_for(planner, walk));
    const bool adds = op.inputs.size() > 6;
    if (adds) uses.push_back(planner.in_format(op.inputs[6], walk.desc));
    add_walk(planner, op, walk, uses,
             [uses, walk, adds, attributes = op.as<BatchNormAttributes>()]<typename T>(const Addresses& at,
                                                                                       T) -> Action {
                 const auto channels = walk.order.channels;
                 auto operands = gradient_operands<T>(at, uses, walk);
                 operands.dx = at.span<T>(uses[6], walk.count);
                 operands.dgamma = at.span<float>(uses[7], channels);
                 operands.dbeta = at.span<float>(uses[8], channels);
                 operands.scratch = at.span<float>(uses[9], loops::batch_norm_scratch(walk.order));
                 if (adds) operands.addend = at.span<const T>(uses[10], walk.count);
                 return [=](const StepContext&) {
                     loops::batch_norm_gradient(walk.order, attributes, operands);
                 };
             });
}

/// x, dy, gamma, beta, mean, variance -> dgamma, dbeta, both side by side
void plan_gradient_sums(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    auto uses = gradient_inputs(planner, op, walk);
    for (std::size_t i = 0; i < 2; ++i) uses.push_back(planner.persistent(op.outputs[i]));
    uses.push_back(planner.storage(op.outputs[2]));
    uses.push_back(scratch_for(planner, walk));
    add_walk(planner, op, walk, uses,
             [uses, walk, attributes = op.as<BatchNormAttributes>()]<typename T>(const Addresses& at,
                                                                                 T) -> Action {
                 const auto channels = walk.order.channels;
                 auto operands = gradient_operands<T>(at, uses, walk);
                 operands.dgamma = at.span<float>(uses[6], channels);
                 operands.dbeta = at.span<float>(uses[7], channels);
                 operands.scratch = at.span<float>(uses[9], loops::batch_norm_scratch(walk.order));
                 return [=, sums = at.span<float>(uses[8], 2 * channels)](const StepContext&) {
                     loops::batch_norm_gradient_sums(walk.order, attributes, operands);
                     std::ranges::copy(operands.dgamma, sums.begin());
                     std::ranges::copy(operands.dbeta, sums.begin() + channels);
                 };
             });
}

/// x, dy, gamma, beta, mean, variance, sums of all ranks, [addend] -> dx
void plan_input_gradient(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    auto uses = gradient_inputs(planner, op, walk);
    uses.push_back(planner.storage(op.inputs[6]));
    uses.push_back(planner.place(op.outputs[0], walk.desc));
    const bool adds = op.inputs.size() > 7;
    if (adds) uses.push_back(planner.in_format(op.inputs[7], walk.desc));
    add_walk(planner, op, walk, uses,
             [uses, walk, adds, shared = op.as<SharedBatchNormAttributes>()]<typename T>(const Addresses& at,
                                                                                         T) -> Action {
                 const auto channels = walk.order.channels;
                 const auto sums = at.span<float>(uses[6], 2 * channels);
                 auto operands = gradient_operands<T>(at, uses, walk);
                 operands.dgamma = sums.first(static_cast<std::size_t>(channels));
                 operands.dbeta = sums.last(static_cast<std::size_t>(channels));
                 operands.dx = at.span<T>(uses[7], walk.count);
                 if (adds) operands.addend = at.span<const T>(uses[8], walk.count);
                 return [=, norm = shared.norm, count = shared.count()](const StepContext&) {
                     loops::batch_norm_input_gradient(walk.order, norm, count, operands);
                 };
             });
}

/// x -> moments, where this rank fills its rows and leaves zeros in the others
void plan_moments(Planner& planner, const Operator& op) {
    const auto walk = walk_of(planner, op.inputs[0]);
    const std::vector uses{planner.in_format(op.inputs[0], walk.desc), planner.storage(op.outputs[0]),
                           scratch_for(planner, walk)};
    const auto elements = planner.program().tensor(op.outputs[0]).shape.elements();
    add_walk(planner, op, walk, uses,
             [uses, walk, elements, rank = op.as<SharedBatchNormAttributes>().rank]<typename T>(
                 const Addresses& at, T) -> Action {
                 const auto channels = static_cast<std::size_t>(walk.order.channels);
                 const auto moments = at.span<float>(uses[1], elements);
                 const auto own =
                     moments.subspan(2 * channels * static_cast<std::size_t>(rank), 2 * channels);
                 const loops::BatchNormMoments<T> operands{
                     .x = at.span<const T>(uses[0], walk.count),
                     .mean = own.first(channels),
                     .variance = own.last(channels),
                     .scratch = at.span<float>(uses[2], loops::batch_norm_scratch(walk.order))};
                 return [=, order = walk.order](const StepContext&) {
                     std::ranges::fill(moments, 0.0F);
                     loops::batch_norm_moments(order, operands);
                 };
             });
}

/// moments of all ranks, moving mean, moving variance -> mean, variance
void plan_statistics(Planner& planner, const Operator& op) {
    const auto shape = planner.program().tensor(op.outputs[0]).shape;
    std::vector<StorageId> uses{planner.storage(op.inputs[0])};
    for (std::size_t i = 1; i < 3; ++i) uses.push_back(channel_values(planner, op.inputs[i]));
    for (const auto id : op.outputs) uses.push_back(planner.place(id, plain(shape)));
    planner.add({std::string(operator_name(op.kind)), op.name, uses, 0,
                 [uses, channels = shape.elements(),
                  shared = op.as<SharedBatchNormAttributes>()](const Addresses& at) -> Action {
                     const auto ranks = static_cast<std::int64_t>(shared.counts.size());
                     const auto by_channel = [&](std::size_t i) { return at.span<float>(uses[i], channels); };
                     return [shared, moments = at.span<const float>(uses[0], ranks * 2 * channels),
                             moving = loops::MovingStatistics{by_channel(1), by_channel(2)},
                             mean = by_channel(3), variance = by_channel(4)](const StepContext&) {
                         loops::combine_moments(shared.counts, moments, mean, variance);
                         loops::move_statistics(shared.norm, shared.count(), mean, variance, moving);
                     };
                 }});
}

}  // namespace

void plan_batch_norm(Planner& planner, const Operator& op) {
    switch (op.kind) {
        case Kind::batch_norm:
        case Kind::fused_batch_norm: return plan_forward(planner, op);
        case Kind::batch_norm_inference:
        case Kind::fused_batch_norm_inference:
        case Kind::batch_norm_apply:
        case Kind::recompute_batch_norm: return plan_line(planner, op);
        case Kind::batch_norm_moments: return plan_moments(planner, op);
        case Kind::batch_norm_statistics: return plan_statistics(planner, op);
        case Kind::batch_norm_grad_sums: return plan_gradient_sums(planner, op);
        case Kind::batch_norm_grad_apply: return plan_input_gradient(planner, op);
        default: return plan_gradient(planner, op);
    }
}

}  // namespace convoy::onednn
