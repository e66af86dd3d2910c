#include "train/participation.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

/// Kernels may add rows of one name, such as two reorders of one weight.
constexpr std::size_t calls_per_program = 4;

std::vector<Sequence> training_of(const Routine& routine) {
    std::vector<Sequence> sequences{routine.finish, routine.average};
    for (const auto& handler : routine.handlers)
        sequences.insert(sequences.end(),
                         {handler.receive, handler.update, handler.answer, handler.sent, handler.drop});
    if (!routine.handlers.empty()) return sequences;
    for (const auto& step : routine.steps) {
        sequences.push_back(step.first);
        sequences.push_back(step.steady);
    }
    return sequences;
}

std::vector<Sequence> evaluation_of(const Routine& routine) {
    std::vector<Sequence> sequences{routine.before_evaluation, routine.scores};
    for (const auto& data : routine.evaluations) sequences.insert(sequences.end(), data.begin(), data.end());
    return sequences;
}

/// The state that programs share: exact sums where one of them adds gradients up.
StepState state_of(const NodePlan& plan) {
    StepState state;
    for (const auto& program : plan.programs) {
        if (program.kind != ProgramKind::gradients) continue;
        std::vector<std::int64_t> elements;
        for (const auto& bucket : program.buckets) elements.push_back(bucket.elements);
        state.sums.emplace(elements);
        break;
    }
    return state;
}

}  // namespace

Participation::Participation(NodePlan plan, Backend& backend, Communicator& communicator, TracedSteps traced)
    : plan_(std::move(plan)),
      communicator_(communicator),
      state_(state_of(plan_)),
      bound_(backend.bind(plan_.programs, plan_.layouts)),
      training_(OperatorTimer(plan_.rank, RunPhase::train, traced), training_of(plan_.routine), parts()),
      evaluation_(OperatorTimer(plan_.rank, RunPhase::evaluate, {}), evaluation_of(plan_.routine), parts()),
      checkpoint_(OperatorTimer(plan_.rank, RunPhase::checkpoint, {}), {plan_.routine.before_checkpoint},
                  parts()),
      handling_(plan_.rank, plan_.routine, communicator, training_) {}

Participation::~Participation() {
    communicator_.drain();
}

OperatorTimer& Participation::timer(RunPhase phase) {
    switch (phase) {
        case RunPhase::train: return training_.timer();
        case RunPhase::evaluate: return evaluation_.timer();
        case RunPhase::checkpoint: return checkpoint_.timer();
    }
    throw InternalError("a phase without a timer");
}

void Participation::begin_epoch(std::int64_t epoch, std::int64_t steps, std::int64_t evaluated_batches) {
    const auto messages = std::max<std::size_t>(plan_.routine.handlers.size(), 1);
    training_.timer().begin_epoch(epoch, static_cast<std::size_t>(steps),
                                  training_.most_calls() * calls_per_program * messages);
    evaluation_.timer().begin_epoch(epoch, static_cast<std::size_t>(evaluated_batches) + 1,
                                    calls_per_program);
    checkpoint_.timer().begin_epoch(epoch, 0);
}

void Participation::slow_down_by(double factor) {
    slow_ = {.factor = factor, .row = training_.timer().add_row({"_Slow", "fault", {}})};
}

void Participation::sleep_behind(StepResult& result) {
    if (!slow_) return;
    const auto began = Clock::now();
    std::this_thread::sleep_for(result.compute * (slow_->factor - 1.0));
    const auto ended = Clock::now();
    training_.timer().add(slow_->row, began, ended);
    result.step += ended - began;
    result.compute += ended - began;
}

StepResult Participation::train(std::size_t split, BatchSource& source, const StepContext& context) {
    const auto& routine = plan_.routine;
    const auto& step = routine.steps.at(split);
    const auto began = Clock::now();
    training_.timer().begin_step(context.step + 1);
    auto result = training_.run(under_way_ ? step.steady : step.first, source, context);
    if (routine.average_every > 0 && (context.step + 1) % routine.average_every == 0)
        result += training_.run(routine.average, source, context);
    sleep_behind(result);
    training_.timer().add_step({began, Clock::now()}, result.examples);
    under_way_ = !routine.finish.empty();
    state_.before = context;
    return result;
}

StepResult Participation::handle(const MessageHandling::Goal& goal,
                                 const MessageHandling::ContextOf& context_of,
                                 std::vector<UpdateRecord>& updates) {
    const auto began = Clock::now();
    training_.timer().begin_step(goal.step);
    auto result = handling_.run_step(goal, context_of, updates);
    sleep_behind(result);
    training_.timer().add_step({began, Clock::now()}, 0);
    under_way_ = true;
    return result;
}

StepResult Participation::finish() {
    if (!std::exchange(under_way_, false)) return {};
    const auto began = Clock::now();
    auto result =
        handles_messages() ? handling_.finish() : training_.run(plan_.routine.finish, state_.before);
    training_.timer().add_step({began, Clock::now()}, 0);
    return result;
}

void Participation::synchronise(RunPhase phase, const StepContext& context) {
    if (phase == RunPhase::checkpoint) {
        checkpoint_.run(plan_.routine.before_checkpoint, context);
    } else {
        evaluation_.run(plan_.routine.before_evaluation, context);
    }
}

StepResult Participation::evaluate(std::size_t data, std::size_t split, BatchSource& source,
                                   const StepContext& context) {
    evaluation_.timer().begin_step(context.step + 1);
    return evaluation_.run(plan_.routine.evaluations.at(data).at(split), source, context);
}

std::array<double, 2> Participation::sum(double first, double second) {
    std::array<float, 2> sums{static_cast<float>(first), static_cast<float>(second)};
    if (!plan_.routine.scores.empty()) {
        const auto bucket = bound_.at(plan_.routine.scores.front())->bucket(0);
        std::ranges::copy(sums, bucket.begin());
        evaluation_.run(plan_.routine.scores, {});
        std::ranges::copy(bucket.first(sums.size()), sums.begin());
    }
    return {static_cast<double>(sums[0]), static_cast<double>(sums[1])};
}

}  // namespace convoy
