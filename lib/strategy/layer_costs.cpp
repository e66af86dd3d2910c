#include "strategy/layer_costs.hpp"

#include <algorithm>

#include "plan/data_need.hpp"
#include "plan/step_cost.hpp"
#include "strategy/balance.hpp"

namespace convoy {
namespace {

/// The part of `count` examples that the largest replica takes.
std::int64_t of_replica(const ExperimentSpec& spec, std::int64_t count) {
    const auto replicas = spec.strategy.replicas;
    return (count + replicas - 1) / replicas;
}

Program step_of_replica(const ExperimentSpec& spec, const Graph& training) {
    const auto batch = of_replica(spec, spec.batch_size);
    return instantiate(training, ProgramKind::train, {.batch = batch, .layout_batch = batch});
}

}  // namespace

LayerCosts::LayerCosts(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                       const ClusterModel& cluster)
    : spec_(spec),
      cluster_(cluster),
      program_(step_of_replica(spec, training)),
      order_(spec.model),
      traffic_(program_, order_),
      memory_(spec, shape,
              {.of_run = of_replica(spec, shape.sizes.train), .of_batch = of_replica(spec, spec.batch_size)},
              program_, order_),
      nodes_(spec, cluster) {
    for (std::size_t stage = 0; stage < nodes_.stages(); ++stage) seconds_.push_back(seconds_on_stage(stage));
}

std::vector<double> LayerCosts::seconds_on_stage(std::size_t stage) const {
    std::vector<double> slowest(order_.size(), 0.0);
    for (const auto rank : nodes_.ranks_of(stage)) {
        const auto seconds = seconds_on(rank);
        for (std::size_t layer = 0; layer < seconds.size(); ++layer)
            slowest[layer] = std::max(slowest[layer], seconds[layer]);
    }
    return slowest;
}

std::vector<double> LayerCosts::seconds_on(std::int64_t rank) const {
    const auto speeds = speeds_or_defaults(cluster_, rank);
    const auto element_bytes = activation_bytes(spec_.kernels_of(rank));
    std::vector<double> seconds(order_.size(), 0.0);
    for (const auto& op : program_.operators)
        seconds.at(order_.layer_of(op.name)) += seconds_of(program_, op, speeds, element_bytes).value_or(0.0);
    return seconds;
}

std::optional<double> LayerCosts::seconds(LayerRange layers, std::size_t stage, DataCounts data) const {
    const auto traffic = traffic_.of(layers);
    const double kept = data == DataCounts::yes ? memory_.data_bytes(layers) : 0.0;
    const auto room = nodes_.room_of(stage);
    if (room && memory_.bytes(layers, stage) + kept + traffic.received + traffic.sent > *room)
        return std::nullopt;
    double sum = 0.0;
    for (auto layer = layers.first; layer < layers.end; ++layer) sum += seconds_.at(stage).at(layer);
    return sum + nodes_.link_seconds(stage, std::max(traffic.received, traffic.sent));
}

std::vector<std::size_t> LayerCosts::greedy(std::size_t stages) const {
    std::vector<std::size_t> placed;
    std::vector<double> free_at(stages, 0.0), ends(order_.size(), 0.0);
    for (std::size_t layer = 0; layer < order_.size(); ++layer) {
        std::vector<double> end_on;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            auto begin = free_at[stage];
            for (const auto& tensor : traffic_.tensors()) {
                if (tensor.writer >= layer || !tensor.readers.contains(layer)) continue;
                const bool travels = placed[tensor.writer] != stage;
                const double on_link = travels ? nodes_.link_seconds(stage, tensor.bytes) : 0.0;
                begin = std::max(begin, ends[tensor.writer] + on_link);
            }
            end_on.push_back(begin + seconds_.at(stage).at(layer));
        }
        const auto best = static_cast<std::size_t>(std::ranges::min_element(end_on) - end_on.begin());
        placed.push_back(best);
        ends[layer] = free_at[best] = end_on[best];
    }
    return placed;
}

double LayerCosts::slowest(const std::vector<std::size_t>& placed, std::size_t stages) const {
    double slowest = 0.0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        double sum = 0.0, received = 0.0, sent = 0.0;
        for (std::size_t layer = 0; layer < placed.size(); ++layer)
            if (placed[layer] == stage) sum += seconds_.at(stage).at(layer);
        for (const auto& tensor : traffic_.tensors()) {
            const auto is_here = [&](std::size_t layer) { return placed[layer] == stage; };
            const auto here = std::ranges::count_if(tensor.readers, is_here);
            if (!is_here(tensor.writer) && here > 0) received += tensor.bytes;
            if (is_here(tensor.writer) && here < std::ssize(tensor.readers)) sent += tensor.bytes;
        }
        slowest = std::max(slowest, sum + nodes_.link_seconds(stage, std::max(received, sent)));
    }
    return slowest;
}

}  // namespace convoy
