#include "program/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "program/operator_rows.hpp"

namespace convoy {
namespace {

std::size_t bucket_of(const Program& program, const Operator& op, std::size_t operand = 0) {
    const auto found = std::ranges::find(program.buckets, op.inputs.at(operand), &Bucket::storage);
    if (found == program.buckets.end()) throw InternalError(fmt::format("{} works on no bucket", op.name));
    return static_cast<std::size_t>(found - program.buckets.begin());
}

bool uses_sums(const Operator& op) {
    const auto* collective = std::get_if<CollectiveAttributes>(&op.attributes);
    return op.kind == OperatorKind::accumulate || op.kind == OperatorKind::take_sums ||
           (collective != nullptr && collective->exact);
}

}  // namespace

StepResult& StepResult::operator+=(const StepResult& other) {
    metrics.loss_sum += other.metrics.loss_sum;
    metrics.correct += other.metrics.correct;
    if (other.gradient_norm) gradient_norm = other.gradient_norm;
    if (other.penalty) penalty = other.penalty;
    examples += other.examples;
    step += other.step;
    compute += other.compute;
    wait += other.wait;
    return *this;
}

Executor::Executor(BoundProgram& program, Communicator& communicator, OperatorTimer& timer,
                   GradientSums* sums, CarriedSums* carried)
    : program_(program), communicator_(communicator), timer_(timer), sums_(sums), carried_(carried) {
    const auto buckets = program.program().buckets.size();
    if (program.program().carries_sums != (carried_ != nullptr))
        throw InternalError("a program that carries sums over, and nothing to carry them in, or the reverse");
    if (started().size() < buckets) started().resize(buckets);
    for (std::size_t i = 0; i < program.program().operators.size(); ++i) add_actions(i);
}

/// A wait right behind its start is one action: the communicator has a shorter way for it. The start keeps
/// its row, which never has a call.
void Executor::add_collective(std::size_t operator_index) {
    const auto& program = program_.program();
    const auto& op = program.operators[operator_index];
    const auto bucket = bucket_of(program, op);
    std::optional<std::size_t> residuals;
    if (op.inputs.size() > 1) residuals = bucket_of(program, op, 1);
    const bool waits = op.kind == OperatorKind::all_reduce_wait;
    if (waits && operator_index > 0 && actions_.back().kind == OperatorKind::all_reduce_start &&
        actions_.back().bucket == bucket) {
        actions_.back() = {.kind = op.kind,
                           .row = timer_.add_row(row_of(op)),
                           .bucket = bucket,
                           .residuals = residuals,
                           .collective = op.as<CollectiveAttributes>(),
                           .whole = true};
        return;
    }
    actions_.push_back({.kind = op.kind,
                        .row = timer_.add_row(row_of(op)),
                        .bucket = bucket,
                        .residuals = residuals,
                        .collective = op.as<CollectiveAttributes>()});
}

void Executor::add_actions(std::size_t operator_index) {
    const auto& program = program_.program();
    const auto& op = program.operators[operator_index];
    if (uses_sums(op) && sums_ == nullptr)
        throw InternalError(fmt::format("{} has no sums to work on", op.name));
    if (op.kind == OperatorKind::dataset) {
        actions_.push_back(
            {.kind = op.kind,
             .row = timer_.add_row(row_of(op)),
             .copy_row = timer_.add_row(
                 with_work({"_CopyBatch", op.name, {}, std::string(pass_name(op.pass))}, program_, op))});
    } else if (op.kind == OperatorKind::all_reduce_start || op.kind == OperatorKind::all_reduce_wait) {
        add_collective(operator_index);
    } else if (op.kind == OperatorKind::accumulate || op.kind == OperatorKind::take_sums) {
        actions_.push_back({.kind = op.kind,
                            .row = timer_.add_row(with_work(row_of(op), program_, op)),
                            .bucket = bucket_of(program, op)});
    } else {
        bool worked = false;  // one kernel of the operator's own name has its work
        for (auto& bound : program_.kernels(operator_index)) {
            const bool works = !worked && bound.operator_name == operator_name(op.kind);
            worked = worked || works;
            actions_.push_back({.kind = op.kind,
                                .row = timer_.add_row(row_of(bound, program_, op, works)),
                                .updates = op.pass == Pass::update,
                                .kernel = bound.kernel.get()});
        }
    }
}

StepResult Executor::run(BatchSource& source, StepContext context) {
    StepResult result;
    const auto began = Clock::now();
    bool came = true;  // the sum that the next updates are of
    for (const auto& action : actions_) {
        switch (action.kind) {
            case OperatorKind::dataset: fetch(action, source, context, result); break;
            case OperatorKind::accumulate:
            case OperatorKind::take_sums: add_up(action, result); break;
            case OperatorKind::all_reduce_start: start(action, result); break;
            case OperatorKind::all_reduce_wait: came = wait(action, result); break;
            default:
                if (!action.updates) {
                    compute(action, context, result);
                } else if (came) {
                    compute(action, carried_ != nullptr ? carried_->step : context, result);
                }
                break;
        }
    }
    if (result.examples > 0) result.metrics = program_.metrics();
    result.gradient_norm = program_.told(TensorRole::gradient_norm);
    result.penalty = program_.told(TensorRole::penalty);
    if (carried_ != nullptr) {
        carried_->step = context;
        carried_->step.examples = {};  // they belong to the source
    }
    result.step = since(began);
    return result;
}

void Executor::fetch(const Action& action, BatchSource& source, StepContext& context, StepResult& result) {
    const auto began = Clock::now();
    const auto batch = source.next();
    const auto came = Clock::now();
    if (batch.size() != program_.program().batch) {
        throw InternalError(fmt::format("a batch of {} examples for a program of {}", batch.size(),
                                        program_.program().batch));
    }
    program_.feed(batch);
    context.examples = batch.examples;
    const bool alone = program_.program().averages_over == AveragesOver::own_examples;
    context.global_examples = alone ? batch.size() : batch.global_examples;
    result.examples = batch.size();
    const auto ended = Clock::now();
    timer_.add_wait(action.row, {began, came});
    timer_.add(action.copy_row, came, ended);
    result.wait += came - began;
    result.compute += ended - came;
}

void Executor::add_up(const Action& action, StepResult& result) {
    const auto began = Clock::now();
    const auto gradients = program_.bucket(action.bucket);
    if (action.kind == OperatorKind::accumulate) {
        sums_->add(action.bucket, gradients);
    } else {
        sums_->take(action.bucket, gradients);
    }
    const auto ended = Clock::now();
    timer_.add(action.row, began, ended);
    result.compute += ended - began;
}

ReduceBuffer Executor::buffer_of(const Action& action) {
    if (action.collective.exact) return sums_->values(action.bucket);
    if (action.residuals)
        return SparsifiedBuffer{program_.bucket(action.bucket), program_.bucket(*action.residuals)};
    return program_.bucket(action.bucket);
}

void Executor::start(const Action& action, StepResult& result) {
    const auto began = Clock::now();
    const auto ticket = communicator_.start_all_reduce(buffer_of(action), action.collective.options);
    const Interval handover{began, Clock::now()};
    started()[action.bucket] = {ticket, handover};
    timer_.add_wait(action.row, handover);
    result.wait += handover.end - handover.start;
}

bool Executor::wait(const Action& action, StepResult& result) {
    const auto sum = std::exchange(started()[action.bucket], std::nullopt);
    if (!sum && !action.whole) {
        if (carried_ != nullptr) return false;
        throw InternalError("a wait for a sum that was not started");
    }
    const auto began = Clock::now();
    const auto times = action.whole ? communicator_.all_reduce(buffer_of(action), action.collective.options)
                                    : communicator_.wait(sum->ticket);
    const auto ended = Clock::now();
    timer_.add_collective(action.row, {times.started,
                                       times.began,
                                       times.peers_began,
                                       times.finished,
                                       sum ? sum->handover : Interval{began, began},
                                       {began, ended}});
    result.wait += ended - began;
    return true;
}

void Executor::compute(const Action& action, const StepContext& context, StepResult& result) {
    const auto began = Clock::now();
    action.kernel->run(context);
    const auto ended = Clock::now();
    timer_.add(action.row, began, ended);
    result.compute += ended - began;
}

}  // namespace convoy
