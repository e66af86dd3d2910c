#pragma once

#include <optional>
#include <vector>

#include "plan/node_plan.hpp"
#include "program/program.hpp"

namespace convoy {

/// The node alone holds this part of a parameter, saves it, and writes it into checkpoints. Absent: it holds
/// nothing of it.
void hold_alone(HeldParameter& parameter, std::optional<TensorSlice> part);

/// Gives a parameter of a program, its slots and, where the program has one, its gradient the shape of a
/// part.
void give_part(Program& program, const Parameter& parameter, const Shape& part);

/// The first operator of a kind whose first operand is this tensor. Null if there is none.
const Operator* reader_of(const std::vector<Operator>& operators, OperatorKind kind, TensorId tensor);

}  // namespace convoy
