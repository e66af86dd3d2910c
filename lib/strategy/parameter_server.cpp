#include "strategy/parameter_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
#include "strategy/empty_share.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/server_exchanges.hpp"
#include "strategy/server_handlers.hpp"
#include "strategy/server_slices.hpp"
#include "strategy/server_state.hpp"
#include "strategy/shared_norm.hpp"
#include "strategy/step_parts.hpp"
#include "strategy/synchronised_batch_norm.hpp"

namespace convoy {
namespace {

/// A worker's step: pushes behind the backward pass (or in it, with overlap), then the new values.
Program worker_step(const NodePlanBuilder& plan, std::int64_t rank, const std::vector<std::int64_t>& split) {
    const auto& input = plan.input();
    auto program = instantiate(input.training, ProgramKind::train,
                               plan.placement(split.at(static_cast<std::size_t>(rank))));
    plan_buckets(program, plan.strategy());
    const ServerExchanges exchanges(program, input);
    const bool apart = is_asynchronous(plan.strategy());
    if (apart) program.averages_over = AveragesOver::own_examples;
    const auto buckets = program.buckets;  // those of gradients: statistics get theirs behind them
    if (plan.strategy().batch_norm_statistics == BatchNormStatistics::synchronised && program.world_size > 1)
        synchronise_batch_norm(program, plan.strategy(), input.cluster,
                               std::span(split).first(static_cast<std::size_t>(program.world_size)));
    auto compute = split_step(program).compute;
    if (program.batch == 0) compute = zeros_for(program, std::move(compute));
    const auto to_server = [&](OperatorKind kind, const Bucket& bucket, const ServerSlice& slice) {
        if (!apart) return exchanges.push(program, kind, bucket, slice);
        return exchanges.message(program, kind, {bucket, slice}, ExchangeVerb::send, exchanges.rank_of(slice),
                                 true);
    };
    const auto from_server = [&](OperatorKind kind, const Bucket& bucket, const ServerSlice& slice) {
        if (!apart) return exchanges.pull(program, kind, bucket, slice);
        return exchanges.message(program, kind, {bucket, slice}, ExchangeVerb::receive,
                                 exchanges.rank_of(slice), false);
    };
    const auto push = [&](const Bucket& bucket) {
        std::vector<Operator> pushes;
        for (const auto& slice : exchanges.slices(bucket))
            pushes.push_back(to_server(OperatorKind::exchange_start, bucket, slice));
        return pushes;
    };
    std::vector<Operator> operators;
    if (plan.strategy().overlap) {
        operators = behind_buckets(program, std::move(compute), push);
    } else {
        operators = std::move(compute);
        for (const auto& bucket : buckets) std::ranges::move(push(bucket), std::back_inserter(operators));
    }
    for (const auto& bucket : buckets) {
        for (const auto& slice : exchanges.slices(bucket)) {
            operators.push_back(to_server(OperatorKind::exchange_wait, bucket, slice));
            operators.push_back(from_server(OperatorKind::exchange_start, bucket, slice));
        }
    }
    const BucketParameters parameters(program);
    std::vector<Operator> updates;
    for (const auto& bucket : buckets) {
        for (const auto& slice : exchanges.slices(bucket))
            operators.push_back(from_server(OperatorKind::exchange_wait, bucket, slice));
        auto& behind = plan.strategy().commit == CommitPoint::by_step ? updates : operators;
        copy_scaled(program, behind, parameters.of(bucket), &Parameter::gradient, &Parameter::value, 1.0);
    }
    std::ranges::move(updates, std::back_inserter(operators));
    program.operators = std::move(operators);
    return program;
}

/// A server's step, put together slice by slice.
class ServerStep {
  public:
    ServerStep(const NodePlanBuilder& plan, std::int64_t rank)
        : input_(plan.input()),
          program_(server_program(plan)),
          exchanges_(program_, input_),
          own_(exchanges_.of_server(program_, rank)),
          content_(program_),
          parameters_(program_),
          updates_(program_.operators) {
        exchanges_.keep_buckets_of(program_, rank);
    }

    [[nodiscard]] Program done() && {
        const auto norm = std::ranges::find(updates_, OperatorKind::global_norm, &Operator::kind);
        const bool by_step = input_.spec.strategy.commit == CommitPoint::by_step;
        const bool together = by_step || norm != updates_.end();
        const UpdatesByBucket alone(program_, {updates_.begin(), norm});
        start_pushes();
        for (const auto& [bucket, slice] : own_) {
            add(exchanges_.push(program_, OperatorKind::exchange_wait, bucket, slice));
            if (!by_step) update(bucket, slice, alone);
            if (!together) answer(bucket, slice);
        }
        if (by_step)
            for (const auto& [bucket, slice] : own_) update(bucket, slice, alone);
        if (norm != updates_.end()) {
            add_norm(*norm);
            const UpdatesByBucket behind_norm(program_, {norm + 1, updates_.end()});
            for (const auto& [bucket, slice] : own_) update(bucket, slice, behind_norm);
        }
        if (together)
            for (const auto& [bucket, slice] : own_) answer(bucket, slice);
        for (const auto& [bucket, slice] : own_)
            add(exchanges_.pull(program_, OperatorKind::exchange_wait, bucket, slice));
        program_.operators = std::move(operators_);
        return std::move(program_);
    }

  private:
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
    for (const auto& split : input.data.train.splits()) {
        const Sequence step{plan.add(worker_step(plan, rank, split))};
        plan.routine().steps.push_back({step, step});
    }
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
    if (is_asynchronous(input.spec.strategy)) require_examples_of_all(input);
    return rank < input.spec.world_size() ? worker_plan(input, rank) : server_plan(input, rank);
}

}  // namespace convoy
