#include "program/action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "program/inputs.hpp"
#include "program/operator_rows.hpp"

namespace convoy {
namespace {

using Actions = std::vector<std::unique_ptr<Action>>;

std::size_t bucket_of(const Program& program, const Operator& op, std::size_t operand = 0) {
    return bucket_position(program, op.inputs.at(operand));
}

/// The node's exact sums. Throws InternalError if it has none.
GradientSums& sums_for(const ActionParts& parts, const Operator& op) {
    if (!parts.state.sums) throw InternalError(fmt::format("{} has no sums to work on", op.name));
    return *parts.state.sums;
}

/// Runs a kernel, and adds its time to its row.
void compute(OperatorTimer& timer, OperatorRowId row, Kernel& kernel, const StepContext& context,
             StepResult& result) {
    const auto began = Clock::now();
    kernel.run(context);
    const auto ended = Clock::now();
    timer.add(row, began, ended);
    result.compute += ended - began;
}

/// Takes the next batch of the source, for all dataset operators of the run.
class Fetch final : public Action {
  public:
    Fetch(const ActionParts& parts, const Operator& op)
        : parts_(parts),
          row_(parts.timer.add_row(row_of(op))),
          decoding_(parts.timer.add_row(
              {std::string(decoding_operator), op.name, {}, std::string(pass_name(op.pass))})) {}

    void run(ActionRun& run) override {
        const auto& program = parts_.program.program();
        const auto began = Clock::now();
        run.batch = run.source.next();
        const auto came = Clock::now();
        const auto size = run.batch.size();
        if (size != program.batch)
            throw InternalError(
                fmt::format("a batch of {} examples for a program of {}", size, program.batch));
        const bool alone = program.averages_over == AveragesOver::own_examples;
        run.context.global_examples = alone ? size : run.batch.global_examples;
        run.result.examples = size;
        const auto decoded = came - run.batch.decoding;
        parts_.timer.add_wait(row_, {began, decoded});
        if (run.batch.decoding != Clock::duration::zero()) parts_.timer.add_wait(decoding_, {decoded, came});
        run.result.wait += came - began;
    }

  private:
    ActionParts parts_;
    OperatorRowId row_, decoding_;
};

/// Copies values or labels of the batch into their tensor.
class CopyOfBatch final : public Action {
  public:
    CopyOfBatch(const ActionParts& parts, const Operator& op, std::size_t operator_index)
        : parts_(parts),
          operator_index_(operator_index),
          row_(parts.timer.add_row(
              with_work({"_CopyBatch", op.name, {}, std::string(pass_name(op.pass))}, parts.program, op))) {}

    void run(ActionRun& run) override {
        const auto began = Clock::now();
        parts_.program.feed(operator_index_, run.batch);
        const auto ended = Clock::now();
        parts_.timer.add(row_, began, ended);
        run.result.compute += ended - began;
    }

  private:
    ActionParts parts_;
    std::size_t operator_index_;
    OperatorRowId row_;
};

/// Gives the example numbers to the kernels. It copies nothing, so it has no row.
class NumbersOfBatch final : public Action {
  public:
    explicit NumbersOfBatch(const Operator& op) : op_(op) {}
    void run(ActionRun& run) override { run.context.examples = examples_for(op_, run.batch).examples; }

  private:
    const Operator& op_;
};

void add_data(const ActionParts& parts, std::size_t operator_index, Actions& actions) {
    const auto& operators = parts.program.program().operators;
    const auto& op = operators[operator_index];
    if (std::ranges::find(operators, OperatorKind::dataset, &Operator::kind) ==
        operators.begin() + static_cast<std::ptrdiff_t>(operator_index))
        actions.push_back(std::make_unique<Fetch>(parts, op));
    if (reads(op, ReadThing::numbers)) {
        actions.push_back(std::make_unique<NumbersOfBatch>(op));
    } else {
        actions.push_back(std::make_unique<CopyOfBatch>(parts, op, operator_index));
    }
}

/// Runs one kernel.
class Compute final : public Action {
  public:
    /// works: the operator's work is counted with this kernel.
    Compute(const ActionParts& parts, const Operator& op, BoundKernel& bound, bool works)
        : timer_(parts.timer),
          state_(parts.state),
          kernel_(*bound.kernel),
          of_step_before_(op.of_step_before),
          row_(parts.timer.add_row(row_of(bound, parts.program, op, works))) {}

    void run(ActionRun& run) override {
        compute(timer_, row_, kernel_, of_step_before_ ? state_.before : run.context, run.result);
    }

  private:
    OperatorTimer& timer_;
    const StepState& state_;
    Kernel& kernel_;
    bool of_step_before_;
    OperatorRowId row_;
};

/// Adds a bucket's gradients to the exact sums, or writes the sums into the bucket.
class ExactSums final : public Action {
  public:
    ExactSums(const ActionParts& parts, const Operator& op)
        : parts_(parts),
          sums_(sums_for(parts, op)),
          bucket_(bucket_of(parts.program.program(), op)),
          adds_(op.kind == OperatorKind::accumulate),
          row_(parts.timer.add_row(with_work(row_of(op), parts.program, op))) {}

    void run(ActionRun& run) override {
        const auto began = Clock::now();
        const auto gradients = parts_.program.bucket(bucket_);
        if (adds_) {
            sums_.add(bucket_, gradients);
        } else {
            sums_.take(bucket_, gradients);
        }
        const auto ended = Clock::now();
        parts_.timer.add(row_, began, ended);
        run.result.compute += ended - began;
    }

  private:
    ActionParts parts_;
    GradientSums& sums_;
    std::size_t bucket_;
    bool adds_;
    OperatorRowId row_;
};

/// Starts an exchange, waits for it, or both.
class ExchangeAction final : public Action {
  public:
    ExchangeAction(const ActionParts& parts, std::size_t operator_index)
        : parts_(parts),
          op_(parts.program.program().operators[operator_index]),
          exchange_(op_.as<ExchangeAttributes>().exchange),
          bucket_(bucket_of(parts.program.program(), op_)),
          place_(parts.state.in_flight.place_of(exchange_key(op_))),
          before_(parts.program.kernels(operator_index)),
          behind_(parts.program.kernels_behind(operator_index)) {
        if (op_.inputs.size() > 1) residuals_ = bucket_of(parts.program.program(), op_, 1);
        if (op_.as<ExchangeAttributes>().exact) sums_ = &sums_for(parts, op_);
        for (const auto& kernel : before_) rows_.push_back(row_of_kernel(kernel));
        for (const auto& kernel : behind_) rows_.push_back(row_of_kernel(kernel));
        auto row = row_of(op_);
        row.way = exchange_way(parts.program.program(), op_);
        row_ = parts.timer.add_row(std::move(row));
    }

    void run(ActionRun& run) override {
        for (std::size_t i = 0; i < before_.size(); ++i)
            compute(parts_.timer, rows_[i], *before_[i].kernel, run.context, run.result);
        switch (op_.kind) {
            case OperatorKind::exchange_start: start(run.result); break;
            case OperatorKind::exchange_wait: wait(run.result); break;
            default: whole(run.result); break;
        }
        for (std::size_t i = 0; i < behind_.size(); ++i)
            compute(parts_.timer, rows_[before_.size() + i], *behind_[i].kernel, run.context, run.result);
    }

  private:
    [[nodiscard]] OperatorRowId row_of_kernel(const BoundKernel& kernel) const {
        return parts_.timer.add_row(row_of(kernel, parts_.program, op_, false));
    }
    [[nodiscard]] ReduceBuffer buffer() const {
        if (sums_ != nullptr) return sums_->values(bucket_);
        if (residuals_)
            return SparsifiedBuffer{parts_.program.bucket(bucket_), parts_.program.bucket(*residuals_)};
        const auto whole = parts_.program.bucket(bucket_);
        const auto& range = op_.as<ExchangeAttributes>().range;
        return range ? whole.subspan(range->first, range->count) : whole;
    }

    void start(StepResult& result) {
        const auto began = Clock::now();
        const auto ticket = parts_.communicator.start(buffer(), exchange_);
        const Interval handover{began, Clock::now()};
        const auto call = parts_.state.in_flight.next_call(place_);
        parts_.state.in_flight.put(place_, {ticket, handover, call});
        parts_.timer.add_start(row_, handover, call);
        result.wait += handover.end - handover.start;
    }
    void wait(StepResult& result) {
        const auto started = parts_.state.in_flight.take(place_);
        if (!started)
            throw InternalError(fmt::format("{}: a wait for an exchange that was not started", op_.name));
        const auto began = Clock::now();
        const auto times = parts_.communicator.wait(started->ticket);
        add(times, *started, began, result);
    }
    void whole(StepResult& result) {
        const auto began = Clock::now();
        const auto times = parts_.communicator.run(buffer(), exchange_);
        add(times, {.handover = {began, began}, .call = parts_.state.in_flight.next_call(place_)}, began,
            result);
    }
    void add(const ExchangeTimes& times, const StartedExchange& started, TimePoint began,
             StepResult& result) {
        const auto ended = Clock::now();
        parts_.timer.add_exchange(row_, {.started = times.started,
                                         .began = times.began,
                                         .peers_began = times.peers_began,
                                         .finished = times.finished,
                                         .handover = started.handover,
                                         .wait = {began, ended},
                                         .call = started.call,
                                         .sent_bytes = times.sent_bytes,
                                         .received_bytes = times.received_bytes});
        result.wait += ended - began;
    }

    ActionParts parts_;
    const Operator& op_;
    const Exchange& exchange_;
    std::size_t bucket_;
    std::optional<std::size_t> residuals_;  ///< the bucket that holds the rest, where not all travels
    GradientSums* sums_ = nullptr;          ///< where these travel instead of the bucket
    std::size_t place_;
    std::span<BoundKernel> before_, behind_;
    std::vector<OperatorRowId> rows_;
    OperatorRowId row_{};
};

/// One action for each kernel; the first of the operator's own name has the operator's work.
void add_kernels(const ActionParts& parts, const Operator& op, std::span<BoundKernel> kernels,
                 Actions& actions) {
    bool worked = false;
    for (auto& bound : kernels) {
        const bool works = !worked && bound.operator_name == operator_name(op.kind);
        worked = worked || works;
        actions.push_back(std::make_unique<Compute>(parts, op, bound, works));
    }
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

std::string exchange_key(const Operator& op) {
    const auto& exchange = op.as<ExchangeAttributes>().exchange;
    return fmt::format("{} {} {}", static_cast<int>(exchange.verb), exchange.root, op.name);
}

std::vector<std::unique_ptr<Action>> actions_of(const ActionParts& parts, std::size_t operator_index) {
    const auto& op = parts.program.program().operators.at(operator_index);
    Actions actions;
    switch (op.kind) {
        case OperatorKind::dataset: add_data(parts, operator_index, actions); break;
        case OperatorKind::accumulate:
        case OperatorKind::take_sums: actions.push_back(std::make_unique<ExactSums>(parts, op)); break;
        case OperatorKind::exchange_start:
        case OperatorKind::exchange_wait:
        case OperatorKind::exchange:
            actions.push_back(std::make_unique<ExchangeAction>(parts, operator_index));
            break;
        default: add_kernels(parts, op, parts.program.kernels(operator_index), actions); break;
    }
    return actions;
}

}  // namespace convoy
