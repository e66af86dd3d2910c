#include "strategy/parameter_part.hpp"

#include <algorithm>

namespace convoy {

void hold_alone(HeldParameter& parameter, std::optional<TensorSlice> part) {
    parameter.part = part;
    parameter.saved = parameter.kept = part.has_value();
    parameter.one_layout = parameter.start_alike = parameter.alike = false;
}

void give_part(Program& program, const Parameter& parameter, const Shape& part) {
    program.tensors.at(index(parameter.value)).shape = part;
    for (const auto slot : parameter.slots) program.tensors.at(index(slot)).shape = part;
    // In an evaluation there is no gradient, and the id names another tensor.
    auto& gradient = program.tensors.at(index(parameter.gradient));
    if (gradient.role == TensorRole::gradient) gradient.shape = part;
}

const Operator* reader_of(const std::vector<Operator>& operators, OperatorKind kind, TensorId tensor) {
    const auto found = std::ranges::find_if(
        operators, [&](const Operator& op) { return op.kind == kind && op.inputs.at(0) == tensor; });
    return found == operators.end() ? nullptr : &*found;
}

}  // namespace convoy
