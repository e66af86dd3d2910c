#include "program/executor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace convoy {

Executor::Executor(BoundProgram& program, Communicator& communicator, OperatorTimer& timer, StepState& state)
    : program_(program),
      has_loss_(std::ranges::count(program.program().operators, OperatorKind::softmax_cross_entropy,
                                   &Operator::kind) > 0),
      in_flight_(state.in_flight) {
    const ActionParts parts{program, communicator, timer, state};
    for (std::size_t i = 0; i < program.program().operators.size(); ++i) {
        auto actions = actions_of(parts, i);
        std::move(actions.begin(), actions.end(), std::back_inserter(actions_));
    }
    for (const auto& op : program.program().operators)
        if (op.kind == OperatorKind::exchange_wait)
            waits_.push_back(state.in_flight.place_of(exchange_key(op)));
}

std::vector<Ticket> Executor::awaited() const {
    std::vector<Ticket> tickets;
    for (const auto place : waits_)
        if (const auto& exchange = in_flight_.at(place)) tickets.push_back(exchange->ticket);
    return tickets;
}

StepResult Executor::run(BatchSource& source, const StepContext& context) {
    ActionRun run{source, context};
    const auto began = Clock::now();
    for (const auto& action : actions_) action->run(run);
    if (!has_loss_) run.result.examples = 0;
    if (run.result.examples > 0) run.result.metrics = program_.metrics();
    run.result.gradient_norm = program_.told(TensorRole::gradient_norm);
    run.result.penalty = program_.told(TensorRole::penalty);
    run.result.step = since(began);
    return run.result;
}

}  // namespace convoy
