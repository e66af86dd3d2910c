#include "nn/optimizers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace convoy {
namespace {

/// What an optimizer asks of every parameter.
struct Update {
    OperatorKind kind;
    std::vector<std::string> slots;
    double slot_start = 0.0;
};

struct UpdateOf {
    Update operator()(const Sgd& sgd) const {
        if (sgd.momentum == 0.0) return {OperatorKind::apply_gradient_descent, {}};
        return {OperatorKind::apply_momentum, {"velocity"}};
    }
    Update operator()(const Adagrad& adagrad) const {
        return {OperatorKind::apply_adagrad, {"accumulator"}, adagrad.initial_accumulator};
    }
    Update operator()(const Adadelta&) const {
        return {OperatorKind::apply_adadelta, {"accumulator", "accumulated_update"}};
    }
    Update operator()(const Adam&) const {
        return {OperatorKind::apply_adam, {"first_moment", "second_moment"}};
    }
};

/// Adds the gradient of the L2 penalty, 2 l2 w, to the gradient that nodes have summed up. Returns their sum.
TensorId append_decay(Graph& graph, const Parameter& parameter) {
    const TensorInfo value = graph.tensor(parameter.value);
    const auto decay = graph.add_tensor({value.name + "/decay", value.shape, TensorRole::activation, false});
    const auto whole =
        graph.add_tensor({value.name + "/gradient_with_decay", value.shape, TensorRole::activation, false});
    graph.operators.push_back({OperatorKind::scale,
                               value.name,
                               Pass::update,
                               {parameter.value},
                               {decay},
                               ScaleAttributes{2.0 * parameter.l2},
                               {}});
    graph.operators.push_back({OperatorKind::add_n,
                               value.name,
                               Pass::update,
                               {parameter.gradient, decay},
                               {whole},
                               std::monostate{},
                               {}});
    return whole;
}

}  // namespace

void append_updates(Graph& graph, const OptimizerSpec& optimizer) {
    const auto update = std::visit(UpdateOf{}, optimizer);
    std::vector<TensorId> finished;
    for (const auto& op : graph.operators)
        finished.insert(finished.end(), op.outputs.begin(), op.outputs.end());

    std::map<TensorId, Parameter*> owners;  // by gradient
    for (auto& parameter : graph.parameters) owners.emplace(parameter.gradient, &parameter);

    for (const auto gradient : finished) {
        const auto owner = owners.find(gradient);
        if (graph.tensor(gradient).role != TensorRole::gradient || owner == owners.end()) continue;
        auto* parameter = owner->second;
        const TensorInfo value = graph.tensor(parameter->value);
        const auto whole = parameter->l2 == 0.0 ? gradient : append_decay(graph, *parameter);
        std::vector<TensorId> operands{parameter->value, whole};
        for (const auto& slot : update.slots) {
            operands.push_back(
                graph.add_tensor({value.name + "/" + slot, value.shape, TensorRole::slot, false}));
            parameter->slots.push_back(operands.back());
        }
        parameter->slot_start = update.slot_start;
        auto results = operands;
        std::erase(results, whole);
        graph.operators.push_back({update.kind,
                                   value.name,
                                   Pass::update,
                                   std::move(operands),
                                   std::move(results),
                                   UpdateAttributes{optimizer},
                                   {}});
    }
}

}  // namespace convoy
