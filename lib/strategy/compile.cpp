#include "strategy/compile.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "graph/residuals.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "plan/cluster_model.hpp"
#include "strategy/balance.hpp"
#include "strategy/strategy.hpp"
#include "strategy/tuning.hpp"

namespace convoy {
namespace {

/// What the plans of all ranks are compiled from.
struct Source {
    ExperimentSpec spec;
    Graph training, evaluation;
    DataPlan data;
    DataShape shape;
    HostMap hosts;
    ClusterModel cluster;
};

}  // namespace

std::int64_t ranks_of(const ExperimentSpec& spec) {
    return static_cast<std::int64_t>(strategy_of(spec.strategy.name).replicas(spec).size());
}

HostMap hosts_of(const ExperimentSpec& spec) {
    const auto ranks = ranks_of(spec);
    std::vector<std::int64_t> hosts;
    for (std::int64_t rank = 0; rank < ranks; ++rank) hosts.push_back(spec.host_of(rank));
    return HostMap(std::move(hosts));
}

Plan compile(const ExperimentSpec& spec, const DataShape& data, const HostMap& hosts,
             const std::optional<KeptShares>& shares) {
    const auto& strategy = strategy_of(spec.strategy.name);
    const auto replicas = strategy.replicas(spec);
    const auto ranks = static_cast<std::int64_t>(replicas.size());
    if (hosts.world_size() != ranks) throw InternalError("a host for each rank is needed");
    auto training = training_graph_of(spec, data.example, data.classes);
    auto cluster = cluster_model(spec);
    auto weights = batch_weights(spec, training, cluster, std::ranges::max(replicas) + 1);
    auto batches = data_plan(spec, data.sizes, replicas, std::move(weights), shares);
    const auto source = std::make_shared<const Source>(
        Source{spec, std::move(training), evaluation_graph_of(spec, data.example, data.classes),
               std::move(batches), data, hosts, std::move(cluster)});
    return {source->data, ranks, [source, &strategy](std::int64_t rank) {
                return strategy.compile({source->spec, source->training, source->evaluation, source->data,
                                         source->shape, source->hosts, source->cluster},
                                        rank);
            }};
}

EvaluationPrograms evaluation_programs(const ExperimentSpec& spec, const DataShape& data,
                                       const EpochPlan& batches) {
    const auto graph = evaluation_graph_of(spec, data.example, data.classes);
    EvaluationPrograms evaluation;
    for (const auto& split : batches.splits()) {
        evaluation.programs.push_back(
            instantiate(graph, ProgramKind::evaluate,
                        {.batch = split.at(0), .layout_batch = batches.splits().at(0).at(0)}));
        tune(evaluation.programs.back(), spec.kernels);
    }
    for (const auto& parameter : graph.parameters)
        evaluation.parameters.push_back({.value = graph.tensor(parameter.value),
                                         .description = parameter,
                                         .part = whole_slice(graph.tensor(parameter.value).shape)});
    return evaluation;
}

Graph training_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes) {
    auto graph = training_graph(resolve_model(spec.model), spec.optimizer, input, classes);
    if (spec.strategy.wire_type == WireType::top_k && spec.world_size() > 1) add_residuals(graph);
    if (spec.gradient_clipping) clip_gradients(graph, *spec.gradient_clipping);
    return graph;
}

Graph evaluation_graph_of(const ExperimentSpec& spec, const ExampleShape& input, std::int64_t classes) {
    return evaluation_graph(resolve_model(spec.model), input, classes);
}

}  // namespace convoy
