#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/stored.hpp"

namespace convoy::onednn {
namespace {

using Kind = OperatorKind;

/// The random numbers of this step, given the memory order of the tensor they are for.
loops::DropoutDraw draw_of(const DropoutAttributes& dropout, const StepContext& context,
                           std::span<const std::uint32_t> indices) {
    const RandomStream stream(context.seed, RandomPurpose::dropout, dropout.layer, context.epoch);
    return {.key = stream.key(), .rate = dropout.rate, .examples = context.examples, .indices = indices};
}

/// The operator of the forward pass that reads a tensor. A step may have several dropouts of one name, each
/// for a part of the batch.
const Operator& forward_reader(const Program& program, TensorId tensor) {
    const auto found = std::ranges::find_if(program.operators, [&](const Operator& op) {
        return op.pass == Pass::forward && std::ranges::count(op.inputs, tensor) > 0;
    });
    if (found == program.operators.end()) throw InternalError("a dropout without its multiplication");
    return *found;
}

/// An order for the layer's random numbers, mask and result: that of the tensor it is applied to, or the
/// plain one if that comes later, from another rank.
Desc order_for(const Planner& planner, const Operator& op) {
    const auto* behind = &op;
    while (behind->kind != Kind::multiply) behind = &forward_reader(planner.program(), behind->outputs[0]);
    const auto input = behind->inputs[0];
    if (!planner.has(input)) return plain(planner.program().tensor(input).shape);
    const auto& desc = planner.layout(input).desc;
    return channel_order(desc) ? desc : plain(desc);
}

void plan_random(Planner& planner, const Operator& op) {
    // Of a bfloat16 random number too little is left to compare with the rate.
    const auto desc = retyped(order_for(planner, op), DataType::f32);
    const auto u = planner.place(op.outputs[0], desc);
    planner.add({std::string(operator_name(op.kind)),
                 op.name,
                 {u},
                 0,
                 [=, indices = loops::element_indices(channel_order(desc).value()),
                  dropout = op.as<DropoutAttributes>(),
                  count = Layout{desc, {}}.stored_elements()](const Addresses& at) -> Action {
                     return [=, us = at.span<float>(u, count)](const StepContext& context) {
                         loops::random_uniform(draw_of(dropout, context, indices), us);
                     };
                 }});
}

/// out = f(in), element by element.
template <typename Function>
void plan_step(Planner& planner, const Operator& op, const Function& function) {
    const auto layout = planner.layout(op.inputs[0]);
    const auto in = planner.storage(op.inputs[0]);
    const auto out = planner.place(op.outputs[0], layout.desc);
    planner.add({std::string(operator_name(op.kind)),
                 op.name,
                 {in, out},
                 0,
                 [=, count = layout.stored_elements()](const Addresses& at) -> Action {
                     return [=, ins = at.span<const float>(in, count), outs = at.span<float>(out, count)](
                                const StepContext&) { std::ranges::transform(ins, outs.begin(), function); };
                 }});
}

void plan_fused(Planner& planner, const Operator& op) {
    auto desc = planner.layout(op.inputs[0]).desc;
    if (!channel_order(desc)) desc = plain(desc);
    const auto x = planner.in_format(op.inputs[0], desc);
    const auto y = planner.place(op.outputs[0], desc);
    std::vector<StorageId> uses{x, y};
    if (op.kind == Kind::fused_dropout_masked) uses.push_back(planner.place(op.outputs[1], desc));
    planner.add({std::string(operator_name(op.kind)), op.name, uses, 0,
                 [=, indices = loops::element_indices(channel_order(desc).value()),
                  dropout = op.as<DropoutAttributes>(),
                  count = Layout{desc, {}}.stored_elements()](const Addresses& at) -> Action {
                     return with_stored_type(desc.data_type(), [&]<typename T>(T) -> Action {
                         const auto mask = uses.size() > 2 ? at.span<T>(uses[2], count) : std::span<T>();
                         return [=, xs = at.span<const T>(x, count),
                                 ys = at.span<T>(y, count)](const StepContext& context) {
                             loops::dropout(draw_of(dropout, context, indices), xs, ys, mask);
                         };
                     });
                 }});
}

}  // namespace

void plan_dropout(Planner& planner, const Operator& op) {
    const auto rate = op.as<DropoutAttributes>().rate;
    switch (op.kind) {
        case Kind::random_uniform: return plan_random(planner, op);
        case Kind::greater_equal:
            return plan_step(planner, op, [rate](float u) { return u >= rate ? 1.0F : 0.0F; });
        case Kind::cast: {
            const auto scale = static_cast<float>(1.0 / (1.0 - rate));
            return plan_step(planner, op, [scale](float keep) { return keep * scale; });
        }
        default: return plan_fused(planner, op);
    }
}

}  // namespace convoy::onednn
