#include "strategy/parameter_server.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "exchange/group.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/empty_share.hpp"
#include "strategy/node_plan_builder.hpp"
#include "strategy/ring_allreduce.hpp"
#include "strategy/shared_norm.hpp"
#include "strategy/step_parts.hpp"
#include "strategy/synchronised_batch_norm.hpp"

namespace convoy {
namespace {

std::vector<std::int64_t> workers_of(const ExperimentSpec& spec) {
    return one_replica_each(spec.world_size());
}

/// The server of each bucket, counted from 0.
std::vector<std::int64_t> servers_of(const std::vector<Bucket>& buckets, std::int64_t servers) {
    std::vector<std::size_t> by_size(buckets.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::ranges::stable_sort(by_size, std::ranges::greater{},
                             [&](std::size_t i) { return buckets[i].elements; });
    std::vector<std::int64_t> load(static_cast<std::size_t>(servers), 0);
    std::vector<std::int64_t> server(buckets.size());
    for (const auto i : by_size) {
        const auto least = std::ranges::min_element(load);
        *least += buckets[i].elements;
        server[i] = least - load.begin();
    }
    return server;
}

/// How the buckets of one program go to their servers and come back.
class ServerExchanges {
  public:
    ServerExchanges(const Program& program, const CompileInput& input)
        : program_(program),
          strategy_(input.spec.strategy),
          cluster_(input.cluster),
          workers_(workers_of(input.spec)) {
        const auto servers = servers_of(program.buckets, strategy_.servers);
        for (std::size_t i = 0; i < servers.size(); ++i)
            server_by_storage_[program.buckets[i].storage] = std::ssize(workers_) + servers[i];
    }

    /// The rank of a bucket's server.
    [[nodiscard]] std::int64_t server_of(const Bucket& bucket) const {
        return server_by_storage_.at(bucket.storage);
    }
    /// Gradients to the server, in the type that they travel as.
    [[nodiscard]] Operator push(OperatorKind kind, const Bucket& bucket) const {
        return exchange(kind, bucket, ExchangeVerb::push, strategy_);
    }
    /// New values from the server: they are kept, so they travel unrounded.
    [[nodiscard]] Operator pull(OperatorKind kind, const Bucket& bucket) const {
        auto unrounded = strategy_;
        unrounded.wire_type = WireType::float32;
        return exchange(kind, bucket, ExchangeVerb::pull, unrounded);
    }

  private:
    [[nodiscard]] Operator exchange(OperatorKind kind, const Bucket& bucket, ExchangeVerb verb,
                                    const StrategySpec& strategy) const {
        auto op = communicate(program_, kind, bucket, strategy, cluster_);
        auto& exchange = std::get<ExchangeAttributes>(op.attributes).exchange;
        exchange.verb = verb;
        exchange.root = server_of(bucket);
        exchange.group = workers_;
        exchange.group.insert(exchange.group.begin(), exchange.root);  // the server adds to its zeros
        exchange.options.algorithm = AllReduceAlgorithm::automatic;
        return op;
    }

    const Program& program_;
    const StrategySpec& strategy_;
    const ClusterModel& cluster_;
    std::vector<std::int64_t> workers_;
    std::map<TensorId, std::int64_t> server_by_storage_;
};

/// A worker's step: pushes behind the backward pass (or in it, with overlap), then the new values.
Program worker_step(const NodePlanBuilder& plan, std::int64_t rank, const std::vector<std::int64_t>& split) {
    const auto& input = plan.input();
    auto program = instantiate(input.training, ProgramKind::train,
                               plan.placement(split.at(static_cast<std::size_t>(rank))));
    plan_buckets(program, plan.strategy());
    const ServerExchanges exchanges(program, input);
    const auto buckets = program.buckets;  // those of gradients: statistics get theirs behind them
    if (plan.strategy().batch_norm_statistics == BatchNormStatistics::synchronised && program.world_size > 1)
        synchronise_batch_norm(program, plan.strategy(), input.cluster,
                               std::span(split).first(static_cast<std::size_t>(program.world_size)));
    auto compute = split_step(program).compute;
    if (program.batch == 0) compute = zeros_for(program, std::move(compute));
    const auto push = [&](const Bucket& bucket) {
        return exchanges.push(OperatorKind::exchange_start, bucket);
    };
    std::vector<Operator> operators;
    if (plan.strategy().overlap) {
        operators = behind_buckets(program, std::move(compute), push);
    } else {
        operators = std::move(compute);
        std::ranges::transform(buckets, std::back_inserter(operators), push);
    }
    for (const auto& bucket : buckets) {
        operators.push_back(exchanges.push(OperatorKind::exchange_wait, bucket));
        operators.push_back(exchanges.pull(OperatorKind::exchange_start, bucket));
    }
    const BucketParameters parameters(program);
    std::vector<Operator> updates;
    for (const auto& bucket : buckets) {
        operators.push_back(exchanges.pull(OperatorKind::exchange_wait, bucket));
        auto& behind = plan.strategy().commit == CommitPoint::by_step ? updates : operators;
        copy_scaled(program, behind, parameters.of(bucket), &Parameter::gradient, &Parameter::value, 1.0);
    }
    std::ranges::move(updates, std::back_inserter(operators));
    program.operators = std::move(operators);
    return program;
}

/// The norm of the gradients in the buckets of all servers.
std::vector<Operator> norm_over_servers(Program& program, const Operator& norm,
                                        const std::vector<Bucket>& buckets, const ExperimentSpec& spec) {
    if (spec.strategy.servers == 1) return {norm};
    std::vector<TensorId> own;
    for (const auto& bucket : buckets) own.insert(own.end(), bucket.tensors.begin(), bucket.tensors.end());
    return shared_norm(program, norm, std::move(own),
                       consecutive_ranks(spec.world_size(), spec.strategy.servers));
}

/// A server's step: for each of its buckets the sum of the workers' gradients, updates, and the new values.
Program server_step(const NodePlanBuilder& plan, std::int64_t rank) {
    const auto& input = plan.input();
    auto program = instantiate(input.training, ProgramKind::update, plan.placement(plan.largest_share()));
    plan_buckets(program, plan.strategy());
    const auto whole = program;
    const ServerExchanges exchanges(whole, input);
    std::erase_if(program.buckets, [&](const Bucket& bucket) { return exchanges.server_of(bucket) != rank; });
    const auto buckets = program.buckets;
    const auto updates = split_step(program).updates;
    const auto norm = std::ranges::find(updates, OperatorKind::global_norm, &Operator::kind);
    const bool by_step = plan.strategy().commit == CommitPoint::by_step;
    std::vector<Operator> operators;
    const UpdatesByBucket alone(program, {updates.begin(), norm});
    const BucketParameters parameters(program);
    const auto update = [&](const Bucket& bucket) {
        std::ranges::move(alone.of(bucket), std::back_inserter(operators));
    };
    const auto answer = [&](const Bucket& bucket) {
        copy_scaled(program, operators, parameters.of(bucket), &Parameter::value, &Parameter::gradient, 1.0);
        operators.push_back(exchanges.pull(OperatorKind::exchange_start, bucket));
    };
    for (const auto& bucket : buckets) {
        for (const auto id : bucket.tensors)
            operators.push_back(
                {OperatorKind::zeros_like, program.tensor(id).name, Pass::backward, {}, {id}, {}, {}});
        operators.push_back(exchanges.push(OperatorKind::exchange_start, bucket));
    }
    const bool together = by_step || norm != updates.end();
    for (const auto& bucket : buckets) {
        operators.push_back(exchanges.push(OperatorKind::exchange_wait, bucket));
        if (!by_step) update(bucket);
        if (!together) answer(bucket);
    }
    if (by_step) std::ranges::for_each(buckets, update);
    if (norm != updates.end()) {
        std::ranges::move(norm_over_servers(program, *norm, buckets, input.spec),
                          std::back_inserter(operators));
        const UpdatesByBucket behind_norm(program, {norm + 1, updates.end()});
        for (const auto& bucket : buckets)
            std::ranges::move(behind_norm.of(bucket), std::back_inserter(operators));
    }
    if (together) std::ranges::for_each(buckets, answer);
    for (const auto& bucket : buckets)
        operators.push_back(exchanges.pull(OperatorKind::exchange_wait, bucket));
    program.operators = std::move(operators);
    return program;
}

NodePlan worker_plan(const CompileInput& input, std::int64_t rank) {
    NodePlanBuilder plan(input, rank, "worker", workers_of(input.spec));
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

/// The parameters that a server updates, with their slots.
void hold_updated(NodePlanBuilder& plan, const Program& step) {
    plan.hold_all(Replication::alike);
    std::set<TensorId> own;
    for (const auto& bucket : step.buckets) own.insert(bucket.tensors.begin(), bucket.tensors.end());
    for (auto& parameter : plan.parameters()) {
        parameter.kept = parameter.description.trained && own.contains(parameter.description.gradient);
        if (!parameter.kept) parameter.part.reset();
        parameter.saved = parameter.start_alike = parameter.alike = false;
    }
}

NodePlan server_plan(const CompileInput& input, std::int64_t rank) {
    const auto& spec = input.spec;
    NodePlanBuilder plan(input, rank, "server", workers_of(spec));
    auto step = server_step(plan, rank);
    hold_updated(plan, step);
    const Sequence sequence{plan.add(std::move(step))};
    for (std::size_t i = 0; i < input.data.train.splits().size(); ++i)
        plan.routine().steps.push_back({sequence, sequence});
    plan.set_layouts(worker_plan(input, 0).layouts);  // sums and values travel as they lie in memory
    plan.evaluate_nothing();
    plan.sum_scores();
    return std::move(plan).done();
}

}  // namespace

std::vector<std::int64_t> workers_and_servers(const ExperimentSpec& spec) {
    auto replicas = workers_of(spec);
    replicas.insert(replicas.end(), static_cast<std::size_t>(spec.strategy.servers), -1);
    return replicas;
}

NodePlan parameter_server_plan(const CompileInput& input, std::int64_t rank) {
    return rank < input.spec.world_size() ? worker_plan(input, rank) : server_plan(input, rank);
}

}  // namespace convoy
