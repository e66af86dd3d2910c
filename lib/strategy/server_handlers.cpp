#include "strategy/server_handlers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/server_exchanges.hpp"
#include "strategy/server_slices.hpp"
#include "strategy/server_state.hpp"
#include "strategy/step_parts.hpp"

namespace convoy {
namespace {

/// Programs share buckets and gradients of one name, and each worker's have a place of their own.
void name_by_worker(Program& program, std::int64_t worker) {
    const auto rename = [&](TensorId id) {
        program.tensors.at(index(id)).name += fmt::format(".worker_{}", worker);
    };
    for (const auto& bucket : program.buckets) {
        rename(bucket.storage);
        for (const auto gradient : bucket.tensors) rename(gradient);
    }
}

/// The programs of one server for the messages of one worker.
class WorkerMessages {
  public:
    WorkerMessages(const NodePlanBuilder& plan, std::int64_t rank, std::int64_t worker)
        : worker_(worker),
          program_(server_program(plan)),
          exchanges_(program_, plan.input()),
          own_(exchanges_.of_server(program_, rank)),
          content_(program_),
          parameters_(program_),
          updates_(program_, std::exchange(program_.operators, {})) {
        exchanges_.keep_buckets_of(program_, rank);
        name_by_worker(program_, worker);
    }

    [[nodiscard]] bool any() const { return !own_.empty(); }
    [[nodiscard]] Program receive() const { return with(gradients(OperatorKind::exchange_start)); }
    [[nodiscard]] Program update() const {
        auto operators = gradients(OperatorKind::exchange_wait);
        for (const auto& [bucket, slice] : own_)
            std::ranges::move(content_.operators_of(slice.range, updates_.of(bucket)),
                              std::back_inserter(operators));
        return with(std::move(operators));
    }
    [[nodiscard]] Program drop() const { return with(gradients(OperatorKind::exchange_wait)); }
    [[nodiscard]] Program answer() const {
        std::vector<Operator> operators;
        for (const auto& each : own_) {
            std::vector<Operator> copies;
            copy_scaled(program_, copies, parameters_.of(each.bucket), &Parameter::value,
                        &Parameter::gradient, 1.0);
            std::ranges::move(content_.operators_of(each.slice.range, copies), std::back_inserter(operators));
            operators.push_back(values(OperatorKind::exchange_start, each));
        }
        return with(std::move(operators));
    }
    [[nodiscard]] Program sent() const {
        std::vector<Operator> operators;
        for (const auto& each : own_) operators.push_back(values(OperatorKind::exchange_wait, each));
        return with(std::move(operators));
    }

  private:
    [[nodiscard]] Program with(std::vector<Operator> operators) const {
        auto program = program_;
        program.operators = std::move(operators);
        return program;
    }
    [[nodiscard]] std::vector<Operator> gradients(OperatorKind kind) const {
        std::vector<Operator> operators;
        for (const auto& each : own_)
            operators.push_back(
                exchanges_.message(program_, kind, each, ExchangeVerb::receive, worker_, true));
        return operators;
    }
    [[nodiscard]] Operator values(OperatorKind kind, const SliceOfBucket& slice) const {
        return exchanges_.message(program_, kind, slice, ExchangeVerb::send, worker_, false);
    }

    std::int64_t worker_;
    Program program_;
    ServerExchanges exchanges_;
    std::vector<SliceOfBucket> own_;
    SliceContent content_;
    BucketParameters parameters_;
    UpdatesByBucket updates_;
};

}  // namespace

void add_handlers(NodePlanBuilder& plan, std::int64_t rank) {
    const bool shrinks = plan.input().spec.failures.policy == FailurePolicy::shrink;
    auto& routine = plan.routine();
    Sequence all;
    for (std::int64_t worker = 0; worker < plan.input().spec.world_size(); ++worker) {
        const WorkerMessages messages(plan, rank, worker);
        if (!messages.any()) break;
        MessageHandler handler{
            .peer = worker, .receive = {}, .update = {}, .answer = {}, .sent = {}, .drop = {}};
        handler.receive = {plan.add(messages.receive())};
        handler.update = {plan.add(messages.update())};
        handler.answer = {plan.add(messages.answer())};
        handler.sent = {plan.add(messages.sent())};
        if (shrinks) handler.drop = {plan.add(messages.drop())};
        for (const auto* sequence : {&handler.receive, &handler.update, &handler.answer, &handler.sent})
            all.insert(all.end(), sequence->begin(), sequence->end());
        routine.handlers.push_back(std::move(handler));
    }
    routine.most_ahead = plan.strategy().staleness;
    routine.steps.assign(plan.input().data.train.splits().size(), {all, all});
}

}  // namespace convoy
