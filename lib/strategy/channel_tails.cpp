#include "strategy/channel_tails.hpp"

#include <algorithm>
#include <optional>

namespace convoy {
namespace {

using Kind = OperatorKind;

/// The gradient of an operator that works on each channel alone. Absent for any other operator.
std::optional<Kind> gradient_kind(Kind kind) {
    switch (kind) {
        case Kind::bias_add: return Kind::bias_add_grad;
        case Kind::relu: return Kind::relu_grad;
        case Kind::leaky_relu: return Kind::leaky_relu_grad;
        case Kind::tanh: return Kind::tanh_grad;
        case Kind::sigmoid: return Kind::sigmoid_grad;
        case Kind::max_pool: return Kind::max_pool_grad;
        case Kind::average_pool: return Kind::average_pool_grad;
        default: return std::nullopt;
    }
}

/// The operand of a gradient that is the gradient of the result: pooling has it first, activations have it
/// behind their own result.
TensorId incoming(const Operator& gradient) {
    const bool pools = gradient.kind == Kind::max_pool_grad || gradient.kind == Kind::average_pool_grad;
    return gradient.inputs.at(pools ? 0 : 1);
}

}  // namespace

ChannelTails::ChannelTails(const std::vector<Operator>& operators) {
    for (const auto& op : operators) {
        for (const auto id : op.inputs) readers_[id].push_back(&op);
        for (const auto id : op.outputs) writers_[id] = &op;
    }
}

const ChannelTails::Readers& ChannelTails::readers(TensorId id) const {
    static const Readers none;
    const auto found = readers_.find(id);
    return found == readers_.end() ? none : found->second;
}

const Operator* ChannelTails::writer(TensorId id) const {
    const auto found = writers_.find(id);
    return found == writers_.end() ? nullptr : found->second;
}

const Operator* ChannelTails::next_forward(TensorId id) const {
    const Operator* next = nullptr;
    for (const auto* op : readers(id)) {
        if (op->pass != Pass::forward) continue;
        if (next != nullptr) return nullptr;
        next = op;
    }
    return next;
}

bool ChannelTails::extend(ChannelTail& tail, std::set<const Operator*>& known) const {
    const auto* next = next_forward(tail.result);
    if (next == nullptr || next->inputs.at(0) != tail.result) return false;
    const auto kind = gradient_kind(next->kind);
    if (!kind) return false;
    const bool trains = writer(tail.result_gradient) != nullptr;
    const Operator* gradient = nullptr;
    auto outer = tail.result_gradient;
    if (trains && *kind == Kind::bias_add_grad) {
        // The gradient of the sum is that of both summands. Behind a sum of branches, biases of several
        // convolutions have the same.
        for (const auto* op : readers(outer))
            if (op->kind == *kind && op->name == next->name) gradient = op;
    } else if (trains) {
        gradient = writer(outer);
        if (gradient->kind == *kind) outer = incoming(*gradient);
    }
    if (trains && (gradient == nullptr || gradient->kind != *kind)) return false;
    known.insert(next);
    if (gradient != nullptr) known.insert(gradient);
    const auto inside = [&](TensorId id) {
        return std::ranges::all_of(readers(id), [&](const Operator* op) { return known.contains(op); });
    };
    const bool alone = inside(tail.result) && (outer == tail.result_gradient || inside(tail.result_gradient));
    if (!alone) {
        known.erase(next);
        known.erase(gradient);
        return false;
    }
    tail.forward.push_back(next);
    if (gradient != nullptr) tail.backward.insert(tail.backward.begin(), gradient);
    tail.result = next->outputs.at(0);
    tail.result_gradient = outer;
    return true;
}

ChannelTail ChannelTails::of(const Operator& convolution) const {
    ChannelTail tail{.forward = {}, .backward = {}, .result = convolution.outputs.at(0)};
    std::set<const Operator*> known;
    tail.result_gradient = TensorId{-1};
    const auto weight = convolution.inputs.at(1);
    const auto x = convolution.inputs.at(0);
    for (const auto* op : readers(x)) {
        const bool of_kernels = op->kind == Kind::conv2d_backprop_filter && op->name == convolution.name;
        if (!of_kernels) continue;
        tail.result_gradient = op->inputs.at(1);
        known.insert(op);
    }
    for (const auto* op : readers(weight))
        if (op->kind == Kind::conv2d_backprop_input) known.insert(op);
    while (extend(tail, known)) {
    }
    return tail;
}

}  // namespace convoy
