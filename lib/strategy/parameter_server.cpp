#include "strategy/parameter_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "exchange/group.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/order_of_need.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/server_exchanges.hpp"
#include "strategy/server_handlers.hpp"
#include "strategy/server_slices.hpp"
#include "strategy/server_state.hpp"
#include "strategy/shared_norm.hpp"
#include "strategy/step_parts.hpp"
#include "strategy/worker_step.hpp"

namespace convoy {
namespace {

/// A server's step, put together slice by slice.
class ServerStep {
  public:
    ServerStep(const NodePlanBuilder& plan, std::int64_t rank)
        : input_(plan.input()),
          program_(server_program(plan)),
          exchanges_(program_, input_),
          own_(in_order(plan, exchanges_.of_server(program_, rank))),
          content_(program_),
          parameters_(program_),
          updates_(program_.operators) {
        exchanges_.keep_buckets_of(program_, rank);
    }

    [[nodiscard]] Program done() && {
        const auto norm = std::ranges::find(updates_, OperatorKind::global_norm, &Operator::kind);
        const bool by_step = input_.spec.strategy.commit == CommitPoint::by_step;
        const bool by_slice = answers_by_slice(input_);
        const UpdatesByBucket alone(program_, {updates_.begin(), norm});
        start_pushes();
        for (const auto& [bucket, slice] : own_) {
            add(exchanges_.push(program_, OperatorKind::exchange_wait, bucket, slice));
            if (!by_step) update(bucket, slice, alone);
            if (by_slice) answer(bucket, slice);
        }
        if (by_step)
            for (const auto& [bucket, slice] : own_) update(bucket, slice, alone);
        if (norm != updates_.end()) {
            add_norm(*norm);
            const UpdatesByBucket behind_norm(program_, {norm + 1, updates_.end()});
            for (const auto& [bucket, slice] : own_) update(bucket, slice, behind_norm);
        }
        if (!by_slice)
            for (const auto& [bucket, slice] : own_) answer(bucket, slice);
        for (const auto& [bucket, slice] : own_)
            add(exchanges_.pull(program_, OperatorKind::exchange_wait, bucket, slice));
        program_.operators = std::move(operators_);
        return std::move(program_);
    }

  private:
    /// The slices in the order in which workers send them.
    [[nodiscard]] std::vector<SliceOfBucket> in_order(const NodePlanBuilder& plan,
                                                      std::vector<SliceOfBucket> own) const {
        if (!values_come_later(input_)) return own;
        std::map<std::pair<TensorId, std::size_t>, const SliceOfBucket*> by_place;
        for (const auto& each : own) by_place[{each.bucket.storage, each.slice.index}] = &each;
        std::vector<SliceOfBucket> sorted;
        for (const auto& place : order_of_need(plan)) {
            const auto found = by_place.find({program_.buckets.at(place.bucket).storage, place.slice});
            if (found != by_place.end()) sorted.push_back(*found->second);
        }
        return sorted;
    }
    void add(Operator op) { operators_.push_back(std::move(op)); }
    void add(std::vector<Operator> operators) {
        std::ranges::move(operators, std::back_inserter(operators_));
    }

    /// Each sum begins with zeros, also where no slice of this server is: the norm reads all of a gradient.
    void start_pushes() {
        for (const auto& bucket : program_.buckets) {
            for (const auto id : bucket.tensors)
                add(Operator{
                    OperatorKind::zeros_like, program_.tensor(id).name, Pass::backward, {}, {id}, {}, {}});
        }
        for (const auto& [bucket, slice] : own_)
            add(exchanges_.push(program_, OperatorKind::exchange_start, bucket, slice));
    }
    void update(const Bucket& bucket, const ServerSlice& slice, const UpdatesByBucket& updates) {
        add(content_.operators_of(slice.range, updates.of(bucket)));
    }
    /// The new values take the place of the gradients, and travel from there.
    void answer(const Bucket& bucket, const ServerSlice& slice) {
        std::vector<Operator> copies;
        copy_scaled(program_, copies, parameters_.of(bucket), &Parameter::value, &Parameter::gradient, 1.0);
        add(content_.operators_of(slice.range, copies));
        add(exchanges_.pull(program_, OperatorKind::exchange_start, bucket, slice));
    }
    /// The norm of the gradients in the buckets of all servers.
    void add_norm(const Operator& norm) {
        const auto servers = input_.spec.strategy.servers;
        if (servers == 1) return add(norm);
        std::vector<TensorId> own;
        for (const auto& bucket : program_.buckets)
            own.insert(own.end(), bucket.tensors.begin(), bucket.tensors.end());
        add(shared_norm(program_, norm, std::move(own),
                        consecutive_ranks(input_.spec.world_size(), servers)));
    }

    const CompileInput& input_;
    Program program_;
    ServerExchanges exchanges_;
    std::vector<SliceOfBucket> own_;
    SliceContent content_;
    BucketParameters parameters_;
    std::vector<Operator> updates_, operators_;
};

/// A worker without gradients would change the momenta of an optimizer by its message of zeros.
void require_examples_of_all(const CompileInput& input) {
    for (const auto& split : input.data.train.splits()) {
        const std::span workers(split.data(), static_cast<std::size_t>(input.spec.world_size()));
        const auto without = std::ranges::find(workers, 0);
        if (without == workers.end()) continue;
        throw DataError(fmt::format(
            "$.strategy.staleness: every worker needs an example of each batch, and worker {} has none of a "
            "batch of {}; choose another $.batch_size or $.dataset.train_examples",
            without - workers.begin(), std::accumulate(workers.begin(), workers.end(), std::int64_t{0})));
    }
}

NodePlan worker_plan(const CompileInput& input, std::int64_t rank) {
    NodePlanBuilder plan(input, rank, "worker", one_replica_each(input.spec.world_size()));
    plan.hold_all(Replication::alike);
    for (auto& parameter : plan.parameters()) {
        parameter.slots.clear();
        parameter.start_alike = parameter.alike = false;  // servers hold parts
    }
    plan.average_statistics();
    const bool later = values_come_later(input);
    for (const auto& split : input.data.train.splits()) {
        const auto step = [&](ValuesCome values) {
            return Sequence{plan.add(worker_step(plan, rank, split, values))};
        };
        // The first step decides how parameters lie in memory: it computes with them before it copies to
        // them.
        const auto first = step(later ? ValuesCome::in_next_step : ValuesCome::in_step);
        plan.routine().steps.push_back(
            {first, later ? step(ValuesCome::in_next_step_and_earlier_here) : first});
    }
    if (later) plan.routine().finish = {plan.add(rest_of_step(plan))};
    plan.decide_layouts();
    plan.evaluate_shares();
    plan.sum_scores();
    return std::move(plan).done();
}

/// The parameters of which a server updates elements, with their slots.
void hold_updated(NodePlanBuilder& plan, const std::set<std::string>& updated) {
    plan.hold_all(Replication::alike);
    for (auto& parameter : plan.parameters()) {
        parameter.kept = updated.contains(parameter.value.name);
        if (!parameter.kept) parameter.part.reset();
        parameter.saved = parameter.start_alike = parameter.alike = false;
    }
}

NodePlan server_plan(const CompileInput& input, std::int64_t rank) {
    const auto& spec = input.spec;
    NodePlanBuilder plan(input, rank, "server", one_replica_each(spec.world_size()));
    const ServerState state(plan, rank);
    hold_updated(plan, state.updated());
    if (is_asynchronous(spec.strategy)) {
        add_handlers(plan, rank);
    } else {
        const Sequence sequence{plan.add(ServerStep(plan, rank).done())};
        for (std::size_t i = 0; i < input.data.train.splits().size(); ++i)
            plan.routine().steps.push_back({sequence, sequence});
    }
    if (auto whole = state.made_whole()) plan.routine().before_checkpoint = {plan.add(std::move(*whole))};
    plan.set_layouts(worker_plan(input, 0).layouts);  // sums and values travel as they lie in memory
    plan.evaluate_nothing();
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace

std::vector<std::int64_t> workers_and_servers(const ExperimentSpec& spec) {
    auto replicas = one_replica_each(spec.world_size());
    replicas.insert(replicas.end(), static_cast<std::size_t>(spec.strategy.servers), -1);
    return replicas;
}

NodePlan parameter_server_plan(const CompileInput& input, std::int64_t rank) {
    require_whole_steps(input);
    if (is_asynchronous(input.spec.strategy)) require_examples_of_all(input);
    return rank < input.spec.world_size() ? worker_plan(input, rank) : server_plan(input, rank);
}

}  // namespace convoy
