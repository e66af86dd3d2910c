#include "report/operator_names.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace convoy {
namespace {

using LayerPass = std::tuple<RunPhase, std::string, std::string>;

LayerPass layer_pass(const OperatorRecord& row) {
    return {row.phase, row.name, row.pass};
}

bool is_one_of(const std::vector<std::string>& operators, const OperatorRecord& row) {
    return std::ranges::count(operators, row.operator_name) > 0;
}

bool is_in_pass(const OperatorName& name, const OperatorRecord& row) {
    return name.pass.empty() || name.pass == row.pass;
}

/// The layers that have an operator of a name, with its pass.
std::set<LayerPass> layers_of(const OperatorName& name, std::span<const OperatorRecord> operators) {
    std::set<LayerPass> layers;
    for (const auto& row : operators)
        if (is_in_pass(name, row) && is_one_of(name.operators, row)) layers.insert(layer_pass(row));
    return layers;
}

}  // namespace

std::vector<OperatorRecord> under_names(std::vector<OperatorRecord> operators,
                                        std::span<const OperatorName> names) {
    std::vector<std::set<LayerPass>> layers;
    layers.reserve(names.size());
    for (const auto& name : names) layers.push_back(layers_of(name, operators));
    for (auto& row : operators) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool fits = is_in_pass(names[i], row) &&
                              (is_one_of(names[i].operators, row) ||
                               (is_one_of(names[i].with, row) && layers[i].contains(layer_pass(row))));
            if (!fits) continue;
            row.operator_name = names[i].name;
            break;
        }
    }
    return operators;
}

}  // namespace convoy
