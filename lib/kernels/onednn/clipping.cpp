// Gradients held within a limit, in place, and what comes before: sums over micro-batches, the penalty's part
// and their norm. All in float32, whatever activations are.

#include <algorithm>
#include <cmath>

#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"

namespace convoy::onednn {
namespace {

using Kind = OperatorKind;
using Spans = std::vector<std::span<float>>;

/// A gradient, or one to which the penalty's part was added, wherever it lies.
StorageId found(Planner& planner, TensorId id) {
    const auto& tensor = planner.program().tensor(id);
    if (tensor.role == TensorRole::gradient) return planner.persistent(id);
    if (tensor.role == TensorRole::parameter)
        planner.parameter_layout(id, [&] { return Layout{plain(tensor.shape), {}}; });
    return planner.storage(id);
}

/// The sums of the tensors' squares are added in their order, so that the norm has the same bits wherever
/// they lie alike.
double squared_norm_of(const Spans& tensors) {
    double total = 0.0;
    for (const auto values : tensors) total += loops::sum_of_squares(values);
    return total;
}

double norm_of(const Spans& tensors) {
    return std::sqrt(squared_norm_of(tensors));
}

void scale_to(double limit, double norm, std::span<float> gradient) {
    const auto factor = clip_factor(norm, limit);
    if (factor != 1.0) loops::scale(gradient, static_cast<float>(factor), gradient);
}

/// What an operator does with its operands: its inputs, and its result where that is not the first of them.
Action action_of(const Operator& op, const Spans& operands) {
    if (op.kind == Kind::fused_decay) {
        return [weight = worked_on(op, operands[1]), gradient = worked_on(op, operands[0]),
                factor = static_cast<float>(op.as<ScaleAttributes>().factor)](const StepContext&) {
            loops::accumulate(weight, factor, gradient);
        };
    }
    if (op.kind == Kind::assign_add) {
        return [part = operands[1], sum = operands[0]](const StepContext&) {
            loops::accumulate(part, 1.0F, sum);
        };
    }
    if (op.kind == Kind::global_norm) {
        return [gradients = Spans(operands.begin(), operands.end() - 1), norm = operands.back()](
                   const StepContext&) { norm[0] = static_cast<float>(norm_of(gradients)); };
    }
    if (op.kind == Kind::squared_norm) {
        return [gradients = Spans(operands.begin(), operands.end() - 1), sum = operands.back()](
                   const StepContext&) { sum[0] = static_cast<float>(squared_norm_of(gradients)); };
    }
    if (op.kind == Kind::square_root) {
        return [x = operands[0], y = operands[1]](const StepContext&) {
            std::ranges::transform(x, y.begin(), [](float value) { return std::sqrt(value); });
        };
    }
    const auto limit = op.as<ClipAttributes>().limit;
    switch (op.kind) {
        case Kind::clip_by_global_norm:
            return [limit, norm = operands[1], gradient = worked_on(op, operands[0])](const StepContext&) {
                scale_to(limit, norm[0], gradient);
            };
        case Kind::clip_by_norm:
            return [=](const StepContext&) { scale_to(limit, norm_of(operands), operands[0]); };
        default:
            return [limit, gradient = worked_on(op, operands[0])](const StepContext&) {
                loops::clamp(static_cast<float>(limit), gradient);
            };
    }
}

}  // namespace

void plan_clipping(Planner& planner, const Operator& op) {
    std::vector<StorageId> uses;
    std::vector<std::int64_t> counts;
    const auto use = [&](TensorId id, StorageId storage) {
        uses.push_back(storage);
        counts.push_back(planner.layout(id).stored_elements());
    };
    for (const auto id : op.inputs) use(id, found(planner, id));
    const auto result = op.outputs[0];
    if (op.kind == Kind::squared_norm) use(result, planner.storage(result));
    if (op.kind == Kind::global_norm || op.kind == Kind::square_root)
        use(result, planner.place(result, plain(planner.program().tensor(result).shape)));
    planner.add({std::string(operator_name(op.kind)), op.name, uses, 0, [=](const Addresses& at) {
                     Spans operands;
                     for (std::size_t i = 0; i < uses.size(); ++i)
                         operands.push_back(at.span<float>(uses[i], counts[i]));
                     return action_of(op, operands);
                 }});
}

}  // namespace convoy::onednn
