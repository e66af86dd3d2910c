// What ends a step: the loss, and the update of every parameter.

#include "base/error.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"

namespace convoy::onednn {
namespace {

using Spans = std::vector<std::span<float>>;

/// Binds an optimizer to operands {weight, gradient, slots...}.
struct UpdateAction {
    Spans operands;
    Action operator()(const Sgd& sgd) const {
        if (sgd.momentum == 0.0) {
            return [sgd, o = operands](const StepContext& context) {
                loops::gradient_descent(at_rate(sgd, context.learning_rate_factor), o[0], o[1]);
            };
        }
        return [sgd, o = operands](const StepContext& context) {
            loops::momentum(at_rate(sgd, context.learning_rate_factor), o[0], o[1], o[2]);
        };
    }
    Action operator()(const Adagrad& adagrad) const {
        return [adagrad, o = operands](const StepContext& context) {
            loops::adagrad(at_rate(adagrad, context.learning_rate_factor), o[0], o[1], o[2]);
        };
    }
    Action operator()(const Adadelta& adadelta) const {
        return [adadelta, o = operands](const StepContext& context) {
            loops::adadelta(at_rate(adadelta, context.learning_rate_factor), o[0], o[1], o[2], o[3]);
        };
    }
    Action operator()(const Adam& adam) const {
        return [adam, o = operands](const StepContext& context) {
            loops::adam(at_rate(adam, context.learning_rate_factor), context.step + 1, o[0], o[1], o[2],
                        o[3]);
        };
    }
};

}  // namespace

void plan_loss(Planner& planner, const Operator& op) {
    const auto& program = planner.program();
    const auto& shape = program.tensor(op.inputs[0]).shape;
    const auto logits = planner.in_plain_rows(op.inputs[0], DataType::f32);
    const auto labels = planner.storage(op.inputs[1]);
    std::vector<StorageId> uses{logits, labels};
    const bool with_gradient = op.outputs.size() > 1;
    if (with_gradient) uses.push_back(planner.place(op.outputs[0], plain(shape)));
    uses.push_back(planner.place(op.outputs.back(), plain(program.tensor(op.outputs.back()).shape)));
    planner.add({std::string(operator_name(op.kind)), op.name, uses, 0, [=](const Addresses& at) -> Action {
                     const auto gradient =
                         with_gradient ? at.span<float>(uses[2], shape.elements()) : std::span<float>();
                     return [=, rows = at.span<const float>(logits, shape.elements()),
                             classes = at.span<const std::int32_t>(labels, shape[0]),
                             metrics = at.span<float>(uses.back(), 2)](const StepContext& context) {
                         loops::softmax_cross_entropy(shape[1], rows, classes,
                                                      static_cast<double>(context.global_examples), gradient,
                                                      metrics);
                     };
                 }});
}

void plan_update(Planner& planner, const Operator& op) {
    const auto& program = planner.program();
    const auto& shape = program.tensor(op.inputs[0]).shape;
    planner.parameter_layout(op.inputs[0], [&] { return Layout{plain(shape), {}}; });
    std::vector<StorageId> uses{planner.storage(op.inputs[0])};
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
        // A gradient to which the penalty's was added is an activation like any other.
        const bool kept = program.tensor(op.inputs[i]).role != TensorRole::activation;
        uses.push_back(kept ? planner.persistent(op.inputs[i]) : planner.storage(op.inputs[i]));
    }
    planner.add({std::string(operator_name(op.kind)), op.name, uses, 0,
                 [op, uses, elements = shape.elements(),
                  settings = op.as<UpdateAttributes>()](const Addresses& at) -> Action {
                     Spans operands;
                     for (const auto storage : uses)
                         operands.push_back(worked_on(op, at.span<float>(storage, elements)));
                     auto update = std::visit(UpdateAction{operands}, settings.optimizer);
                     if (settings.decay == 0.0) return update;
                     const auto decay = static_cast<float>(settings.decay);
                     return [=](const StepContext& context) {
                         loops::accumulate(operands[0], decay, operands[1]);
                         update(context);
                     };
                 }});
}

}  // namespace convoy::onednn
