#pragma once

#include <string>
#include <utility>

#include "measure/operator_timer.hpp"
#include "program/cost.hpp"
#include "program/kernel.hpp"

namespace convoy {

/// The row of the operator table that counts the calls of an operator.
inline OperatorRow row_of(const Operator& op) {
    return {.operator_name = std::string(operator_name(op)),
            .name = op.name,
            .folded = {},
            .pass = std::string(pass_name(op.pass)),
            .kind = std::string(kind_name(op.kind))};
}

/// Adds the operator's work in one call to a row.
inline OperatorRow with_work(OperatorRow row, const BoundProgram& program, const Operator& op) {
    const auto cost = cost_of(program.program(), op, program.activation_bytes());
    row.work = WorkDone{cost.flops, cost.read_bytes, cost.written_bytes};
    return row;
}

/// The row of one kernel of an operator. does_the_work: the operator's work is counted with this kernel. A
/// back-end may put other kernels, such as reorders, before and behind it; their rows have no work.
inline OperatorRow row_of(const BoundKernel& kernel, const BoundProgram& program, const Operator& op,
                          bool does_the_work) {
    auto row = row_of(op);
    row.operator_name = kernel.operator_name;
    row.name = kernel.name;
    if (kernel.operator_name == operator_name(op.kind)) {
        for (const auto folded : op.folded) row.folded.emplace_back(operator_name(folded));
    }
    return does_the_work ? with_work(std::move(row), program, op) : row;
}

}  // namespace convoy
