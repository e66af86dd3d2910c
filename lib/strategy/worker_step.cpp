#include "strategy/worker_step.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/order_of_need.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/server_exchanges.hpp"
#include "strategy/server_slices.hpp"
#include "strategy/step_parts.hpp"
#include "strategy/synchronised_batch_norm.hpp"

namespace convoy {
namespace {

/// The most slices that a worker sends to a server before it has the answer to the first of them. An answer
/// waits for the slowest worker, and TCP streams do not share a link evenly. Without this bound the server
/// would have the gradients of the fast workers early, and all answers would travel at the end. Two slices
/// keep both directions of a link busy; the third covers the delay of an answer.
constexpr std::int64_t most_slices_ahead = 3;

/// A worker's step, put together slice by slice.
class WorkerStep {
  public:
    /// program: with all buckets of gradients, and no others.
    WorkerStep(const NodePlanBuilder& plan, Program program)
        : plan_(plan),
          apart_(is_asynchronous(plan.strategy())),
          answered_by_slice_(answers_by_slice(plan.input())),
          program_(std::move(program)),
          exchanges_(program_, plan.input()),
          gradients_(program_.buckets) {
        if (apart_) program_.averages_over = AveragesOver::own_examples;
    }

    [[nodiscard]] Program done(std::span<const std::int64_t> split, ValuesCome values) && {
        // Statistics get buckets behind those of gradients.
        if (plan_.strategy().batch_norm_statistics == BatchNormStatistics::synchronised &&
            program_.world_size > 1)
            synchronise_batch_norm(program_, plan_.strategy(), plan_.input().cluster, split);
        auto compute = split_step(program_).compute;
        if (program_.batch == 0) compute = zeros_for(program_, std::move(compute));
        if (values == ValuesCome::in_step) {
            program_.operators = exchanged(std::move(compute));
            complete_in_step();
        } else {
            program_.operators = exchanged_by_need(std::move(compute));
            if (values == ValuesCome::in_next_step_and_earlier_here)
                program_.operators =
                    before_first_use(program_, std::move(program_.operators),
                                     [&](const Bucket& bucket) { return completed(bucket); });
        }
        return std::move(program_);
    }

    /// All that the last step leaves under way, and nothing else.
    [[nodiscard]] Program rest() && {
        program_.operators.clear();
        for (const auto& bucket : gradients_)
            std::ranges::move(completed(bucket), std::back_inserter(program_.operators));
        return std::move(program_);
    }

  private:
    [[nodiscard]] Operator push(OperatorKind kind, const Bucket& bucket, const ServerSlice& slice) const {
        if (!apart_) return exchanges_.push(program_, kind, bucket, slice);
        return exchanges_.message(program_, kind, {bucket, slice}, ExchangeVerb::send,
                                  exchanges_.rank_of(slice), true);
    }
    [[nodiscard]] Operator pull(OperatorKind kind, const Bucket& bucket, const ServerSlice& slice) const {
        if (!apart_) return exchanges_.pull(program_, kind, bucket, slice);
        return exchanges_.message(program_, kind, {bucket, slice}, ExchangeVerb::receive,
                                  exchanges_.rank_of(slice), false);
    }
    /// The push and the pull of a slice begin. A pull writes where its push reads: that is safe, since a
    /// server answers only when it has the whole push.
    void start(std::vector<Operator>& operators, const Bucket& bucket, const ServerSlice& slice) {
        auto gradients = push(OperatorKind::exchange_start, bucket, slice);
        auto values = pull(OperatorKind::exchange_start, bucket, slice);
        if (answered_by_slice_) {
            auto& sent = sent_to_[slice.server];
            const auto turn = slice.server * most_slices_ahead + sent++ % most_slices_ahead;
            for (auto* op : {&gradients, &values})
                std::get<ExchangeAttributes>(op->attributes).exchange.turn = turn;
        }
        operators.push_back(std::move(gradients));
        operators.push_back(std::move(values));
    }
    [[nodiscard]] std::vector<Operator> starts(const Bucket& bucket) {
        std::vector<Operator> operators;
        for (const auto& slice : exchanges_.slices(bucket)) start(operators, bucket, slice);
        return operators;
    }
    /// The new values of a bucket, which came in place of its gradients.
    [[nodiscard]] std::vector<Operator> copies(const Bucket& bucket) const {
        std::vector<Operator> operators;
        copy_scaled(program_, operators, BucketParameters(program_).of(bucket), &Parameter::gradient,
                    &Parameter::value, 1.0);
        return operators;
    }

    /// The operators, with the starts of each bucket behind the one that completes it, or behind all of them.
    [[nodiscard]] std::vector<Operator> exchanged(std::vector<Operator> compute) {
        if (plan_.strategy().overlap)
            return behind_buckets(program_, std::move(compute),
                                  [&](const Bucket& bucket) { return starts(bucket); });
        for (const auto& bucket : gradients_) std::ranges::move(starts(bucket), std::back_inserter(compute));
        return compute;
    }
    void complete_in_step() {
        std::vector<Operator> updates;
        for (const auto& bucket : gradients_) {
            wait_for(program_.operators, bucket);
            auto& behind = plan_.strategy().commit == CommitPoint::by_step ? updates : program_.operators;
            std::ranges::move(copies(bucket), std::back_inserter(behind));
        }
        std::ranges::move(updates, std::back_inserter(program_.operators));
    }

    /// The operators, with the starts in the order of need, each as soon as its bucket and the slices before
    /// it allow.
    [[nodiscard]] std::vector<Operator> exchanged_by_need(std::vector<Operator> compute) {
        const auto order = order_of_need(plan_);
        std::set<TensorId> complete;
        auto next = order.begin();
        return behind_buckets(program_, std::move(compute), [&](const Bucket& bucket) {
            complete.insert(bucket.storage);
            std::vector<Operator> operators;
            for (; next != order.end() && complete.contains(gradients_.at(next->bucket).storage); ++next) {
                const auto& each = gradients_.at(next->bucket);
                start(operators, each, exchanges_.slices(each)[next->slice]);
            }
            return operators;
        });
    }
    void wait_for(std::vector<Operator>& operators, const Bucket& bucket) const {
        for (const auto& slice : exchanges_.slices(bucket)) {
            operators.push_back(push(OperatorKind::exchange_wait, bucket, slice));
            operators.push_back(pull(OperatorKind::exchange_wait, bucket, slice));
        }
    }
    /// The end of the exchanges of a bucket.
    [[nodiscard]] std::vector<Operator> completed(const Bucket& bucket) const {
        std::vector<Operator> operators;
        if (std::ranges::find(gradients_, bucket.storage, &Bucket::storage) == gradients_.end())
            return operators;
        wait_for(operators, bucket);
        std::ranges::move(copies(bucket), std::back_inserter(operators));
        return operators;
    }

    const NodePlanBuilder& plan_;
    bool apart_, answered_by_slice_;
    Program program_;
    ServerExchanges exchanges_;
    std::vector<Bucket> gradients_;
    std::map<std::int64_t, std::int64_t> sent_to_;  // slices, by server
};

}  // namespace

bool values_come_later(const CompileInput& input) {
    return !is_asynchronous(input.spec.strategy) &&
           overlaps_forward(input.spec.strategy, input.ranks(), input.training);
}

Program worker_step(const NodePlanBuilder& plan, std::int64_t rank, const std::vector<std::int64_t>& split,
                    ValuesCome values) {
    auto program = instantiate(plan.input().training, ProgramKind::train,
                               plan.placement(split.at(static_cast<std::size_t>(rank))));
    plan_buckets(program, plan.strategy());
    const auto workers = std::span(split).first(static_cast<std::size_t>(program.world_size));
    return WorkerStep(plan, std::move(program)).done(workers, values);
}

Program rest_of_step(const NodePlanBuilder& plan) {
    auto program =
        instantiate(plan.input().training, ProgramKind::update, plan.placement(plan.largest_share()));
    plan_buckets(program, plan.strategy());
    return WorkerStep(plan, std::move(program)).rest();
}

}  // namespace convoy
