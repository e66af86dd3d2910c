#include "graph/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

/// State of one differentiation: which tensors need a gradient, and the parts found so far of each.
class Differentiation {
  public:
    explicit Differentiation(Graph& graph) : graph_(graph), forward_(graph.operators) {
        needed_.resize(graph.tensors.size(), false);
        parts_.resize(graph.tensors.size());
        for (const auto& parameter : graph.parameters) needed_[index(parameter.value)] = parameter.trained;
        for (const auto& op : forward_) {
            const bool fed = std::ranges::any_of(op.inputs, [&](TensorId id) { return needed_[index(id)]; });
            for (const auto id : op.outputs) needed_[index(id)] = needed_[index(id)] || fed;
        }
    }

    void run(TensorId output, TensorId output_gradient) {
        parts_[index(output)] = {output_gradient};
        for (auto op = forward_.rbegin(); op != forward_.rend(); ++op) {
            if (op->outputs.empty() || op->kind == OperatorKind::softmax_cross_entropy) continue;
            const auto result = index(op->outputs[0]);
            if (!needed_[result] || parts_[result].empty()) continue;
            if (op->kind != OperatorKind::conv2d && op->kind != OperatorKind::matmul) append_bias_gradients();
            differentiate(*op, whole_gradient(op->outputs[0], op->name));
        }
        append_bias_gradients();
        for (auto& parameter : graph_.parameters) {
            if (!parameter.trained) continue;
            parameter.gradient = whole_gradient(parameter.value, "");
            graph_.tensors[index(parameter.gradient)].role = TensorRole::gradient;
        }
    }

  private:
    [[nodiscard]] bool needs(TensorId id) const { return needed_[index(id)]; }

    TensorId whole_gradient(TensorId of, const std::string& name) {
        auto& parts = parts_[index(of)];
        if (parts.empty()) {
            throw InternalError(fmt::format("{} has no influence on the loss", graph_.tensor(of).name));
        }
        if (parts.size() > 1) {
            const auto sum = new_gradient(of, "/gradient_sum");
            graph_.operators.push_back({OperatorKind::add_n, name, Pass::backward, parts, {sum}, {}, {}});
            parts = {sum};
        }
        return parts[0];
    }

    TensorId new_gradient(TensorId of, const std::string& suffix) {
        TensorInfo info = graph_.tensor(of);
        info.role = TensorRole::activation;  // a parameter's is told from its parts once all are known
        const auto count = parts_[index(of)].size();
        info.name += suffix + (count > 0 ? fmt::format("_{}", count) : "");
        return graph_.add_tensor(std::move(info));
    }

    /// Appends one operator to the list, which writes the gradient of `of`, if that one is needed.
    void emit_to(std::vector<Operator>& operators, OperatorKind kind, const Operator& source, TensorId of,
                 std::vector<TensorId> inputs, Attributes attributes) {
        if (!needs(of)) return;
        const auto gradient = new_gradient(of, "/gradient");
        operators.push_back(
            {kind, source.name, Pass::backward, std::move(inputs), {gradient}, std::move(attributes), {}});
        parts_[index(of)].push_back(gradient);
    }

    /// The same for the list of the graph.
    void emit(OperatorKind kind, const Operator& source, TensorId of, std::vector<TensorId> inputs,
              Attributes attributes) {
        emit_to(graph_.operators, kind, source, of, std::move(inputs), std::move(attributes));
    }

    /// Moves the gradients of biases that wait into the graph.
    void append_bias_gradients() {
        std::ranges::move(bias_gradients_, std::back_inserter(graph_.operators));
        bias_gradients_.clear();
    }

    void differentiate(const Operator& op, TensorId dy) {
        const auto x = op.inputs.at(0);
        const auto y = op.outputs.at(0);
        switch (op.kind) {
            case OperatorKind::conv2d:
                emit(OperatorKind::conv2d_backprop_filter, op, op.inputs[1], {x, dy}, op.attributes);
                append_bias_gradients();
                return emit(OperatorKind::conv2d_backprop_input, op, x, {op.inputs[1], dy}, op.attributes);
            case OperatorKind::matmul:
                emit(OperatorKind::matmul_backprop_weight, op, op.inputs[1], {x, dy}, op.attributes);
                append_bias_gradients();
                return emit(OperatorKind::matmul_backprop_input, op, x, {op.inputs[1], dy}, op.attributes);
            case OperatorKind::bias_add:
                emit_to(bias_gradients_, OperatorKind::bias_add_grad, op, op.inputs[1], {dy}, {});
                return pass_on(x, dy);
            case OperatorKind::relu:
                return emit(OperatorKind::relu_grad, op, x, {y, dy}, ReluGradAttributes{});
            case OperatorKind::leaky_relu:
                return emit(OperatorKind::leaky_relu_grad, op, x, {y, dy}, op.attributes);
            case OperatorKind::tanh: return emit(OperatorKind::tanh_grad, op, x, {y, dy}, {});
            case OperatorKind::sigmoid: return emit(OperatorKind::sigmoid_grad, op, x, {y, dy}, {});
            case OperatorKind::softmax: return emit(OperatorKind::softmax_grad, op, x, {y, dy}, {});
            case OperatorKind::max_pool:
                return emit(OperatorKind::max_pool_grad, op, x, {dy, op.outputs.at(1)}, op.attributes);
            case OperatorKind::average_pool:
                return emit(OperatorKind::average_pool_grad, op, x, {dy}, op.attributes);
            case OperatorKind::reshape: return emit(OperatorKind::reshape_grad, op, x, {dy}, {});
            case OperatorKind::multiply:
                emit(OperatorKind::multiply, op, x, {dy, op.inputs[1]}, op.attributes);
                return emit(OperatorKind::multiply, op, op.inputs[1], {dy, x}, op.attributes);
            case OperatorKind::batch_norm: return differentiate_batch_norm(op, dy);
            case OperatorKind::concat: return differentiate_concat(op, dy);
            case OperatorKind::add:
            case OperatorKind::add_n:
                for (const auto input : op.inputs) pass_on(input, dy);
                return;
            default: throw InternalError(fmt::format("{} has no gradient", operator_name(op.kind)));
        }
    }

    /// All three gradients come of one operator.
    void differentiate_batch_norm(const Operator& op, TensorId dy) {
        std::vector<TensorId> gradients;
        for (std::size_t i = 0; i < 3; ++i) {
            gradients.push_back(new_gradient(op.inputs.at(i), "/gradient"));
            if (needs(op.inputs[i])) parts_[index(op.inputs[i])].push_back(gradients.back());
        }
        graph_.operators.push_back(
            {OperatorKind::batch_norm_grad,
             op.name,
             Pass::backward,
             {op.inputs[0], dy, op.inputs[1], op.inputs[2], op.outputs.at(1), op.outputs.at(2)},
             std::move(gradients),
             op.attributes,
             {}});
    }

    /// Each input's gradient is its own part of the result's.
    void differentiate_concat(const Operator& op, TensorId dy) {
        std::int64_t first = 0;
        for (const auto input : op.inputs) {
            emit(OperatorKind::slice, op, input, {dy}, SliceAttributes{first});
            first += graph_.tensor(input).shape[0];
        }
    }

    /// The gradient of an input that equals that of the result.
    void pass_on(TensorId input, TensorId dy) {
        if (needs(input)) parts_[index(input)].push_back(dy);
    }

    Graph& graph_;
    std::vector<Operator> forward_;
    std::vector<bool> needed_;
    std::vector<std::vector<TensorId>> parts_;
    /// Gradients of biases that wait for the gradient of their layer's weights: one kernel may compute both,
    /// and buckets take gradients in the order of their operators.
    std::vector<Operator> bias_gradients_;
};

}  // namespace

void append_gradients(Graph& graph, TensorId output, TensorId output_gradient) {
    Differentiation(graph).run(output, output_gradient);
}

}  // namespace convoy
