#include "strategy/worker_step.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
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

/// A worker's step, put together slice by slice.
class WorkerStep {
  public:
    /// program: with all buckets of gradients, and no others.
    WorkerStep(const NodePlanBuilder& plan, Program program)
        : plan_(plan),
          apart_(is_asynchronous(plan.strategy())),
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
            program_.operators = pushed(std::move(compute));
            pull_in_step();
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
    [[nodiscard]] std::vector<Operator> pushes(const Bucket& bucket) const {
        std::vector<Operator> operators;
        for (const auto& slice : exchanges_.slices(bucket))
            operators.push_back(push(OperatorKind::exchange_start, bucket, slice));
        return operators;
    }
    /// The new values of a bucket, which came in place of its gradients.
    [[nodiscard]] std::vector<Operator> copies(const Bucket& bucket) const {
        std::vector<Operator> operators;
        copy_scaled(program_, operators, BucketParameters(program_).of(bucket), &Parameter::gradient,
                    &Parameter::value, 1.0);
        return operators;
    }

    /// The operators, with the pushes of each bucket behind the one that completes it, or behind all of them.
    [[nodiscard]] std::vector<Operator> pushed(std::vector<Operator> compute) const {
        if (plan_.strategy().overlap)
            return behind_buckets(program_, std::move(compute),
                                  [&](const Bucket& bucket) { return pushes(bucket); });
        for (const auto& bucket : gradients_) std::ranges::move(pushes(bucket), std::back_inserter(compute));
        return compute;
    }
    void pull_in_step() {
        auto& operators = program_.operators;
        for (const auto& bucket : gradients_) {
            for (const auto& slice : exchanges_.slices(bucket)) {
                operators.push_back(push(OperatorKind::exchange_wait, bucket, slice));
                operators.push_back(pull(OperatorKind::exchange_start, bucket, slice));
            }
        }
        std::vector<Operator> updates;
        for (const auto& bucket : gradients_) {
            for (const auto& slice : exchanges_.slices(bucket))
                operators.push_back(pull(OperatorKind::exchange_wait, bucket, slice));
            auto& behind = plan_.strategy().commit == CommitPoint::by_step ? updates : operators;
            std::ranges::move(copies(bucket), std::back_inserter(behind));
        }
        std::ranges::move(updates, std::back_inserter(operators));
    }

    /// The operators, with the pushes in the order of need, each as soon as its bucket and the pushes before
    /// it allow. Then the pulls start. A pull writes where its push reads: that is safe, since a server
    /// answers only when it has the whole push.
    [[nodiscard]] std::vector<Operator> exchanged_by_need(std::vector<Operator> compute) const {
        const auto order = order_of_need(plan_);
        std::set<TensorId> complete;
        auto next = order.begin();
        const auto operator_of = [&](const PlaceOfSlice& place, const auto& make) {
            const auto& bucket = gradients_.at(place.bucket);
            return make(OperatorKind::exchange_start, bucket, exchanges_.slices(bucket)[place.slice]);
        };
        auto operators = behind_buckets(program_, std::move(compute), [&](const Bucket& bucket) {
            complete.insert(bucket.storage);
            std::vector<Operator> starts;
            for (; next != order.end() && complete.contains(gradients_.at(next->bucket).storage); ++next)
                starts.push_back(operator_of(*next, std::bind_front(&WorkerStep::push, this)));
            return starts;
        });
        for (const auto& place : order)
            operators.push_back(operator_of(place, std::bind_front(&WorkerStep::pull, this)));
        return operators;
    }
    /// The end of the exchanges of a bucket.
    [[nodiscard]] std::vector<Operator> completed(const Bucket& bucket) const {
        std::vector<Operator> operators;
        if (std::ranges::find(gradients_, bucket.storage, &Bucket::storage) == gradients_.end())
            return operators;
        for (const auto& slice : exchanges_.slices(bucket)) {
            operators.push_back(push(OperatorKind::exchange_wait, bucket, slice));
            operators.push_back(pull(OperatorKind::exchange_wait, bucket, slice));
        }
        std::ranges::move(copies(bucket), std::back_inserter(operators));
        return operators;
    }

    const NodePlanBuilder& plan_;
    bool apart_;
    Program program_;
    ServerExchanges exchanges_;
    std::vector<Bucket> gradients_;
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
