#include "strategy/stage_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "graph/operator_name.hpp"
#include "nn/zoo.hpp"
#include "plan/data_need.hpp"
#include "plan/step_cost.hpp"
#include "program/program.hpp"
#include "strategy/balance.hpp"
#include "strategy/stage_cut.hpp"

namespace convoy {
namespace {

constexpr double float_bytes = 4.0;

/// The examples of a whole batch that the largest replica takes.
std::int64_t examples_of_replica(const ExperimentSpec& spec) {
    const auto replicas = spec.strategy.replicas;
    return (spec.batch_size + replicas - 1) / replicas;
}

/// A tensor that travels if a cut lies between the layer that writes it and one that reads it.
struct Passing {
    std::size_t writer;             // a layer
    std::set<std::size_t> readers;  // other layers
    double bytes;
};

/// Whether the data of a stage counts as memory that it needs.
enum class DataCounts : bool { no, yes };

/// What the layers of a network cost on a cluster.
class LayerCosts {
  public:
    LayerCosts(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
               const ClusterModel& cluster)
        : spec_(spec),
          cluster_(cluster),
          program_(
              instantiate(training, ProgramKind::train,
                          {.batch = examples_of_replica(spec), .layout_batch = examples_of_replica(spec)})) {
        for (const auto& layer : resolve_model(spec.model).layers) {
            positions_.emplace(layer.name, names_.size());
            names_.push_back(layer.name);
        }
        find_seconds();
        find_passing();
        find_memory();
        find_data(shape);
    }

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    [[nodiscard]] std::optional<double> seconds(std::size_t first, std::size_t end, std::size_t stage,
                                                DataCounts data) const {
        const auto [received, sent] = traffic(first, end);
        const double kept = data == DataCounts::yes ? data_bytes(first, end) : 0.0;
        if (const auto room = room_of(stage);
            room && bytes(first, end, stage) + kept + received + sent > *room)
            return std::nullopt;
        double sum = 0.0;
        for (auto layer = first; layer < end; ++layer) sum += seconds_.at(stage).at(layer);
        return sum + link_seconds(stage, std::max(received, sent));
    }

    /// By layer, the stage where it would finish first, placed one after the other in the order of the
    /// network; a tensor from another stage takes its time on the link.
    [[nodiscard]] std::vector<std::size_t> greedy(std::size_t stages) const {
        std::vector<std::size_t> placed;
        std::vector<double> free_at(stages, 0.0), ends(names_.size(), 0.0);
        for (std::size_t layer = 0; layer < names_.size(); ++layer) {
            std::vector<double> end_on;
            for (std::size_t stage = 0; stage < stages; ++stage) {
                auto begin = free_at[stage];
                for (const auto& each : passing_) {
                    if (each.writer >= layer || !each.readers.contains(layer)) continue;
                    const bool travels = placed[each.writer] != stage;
                    begin = std::max(begin,
                                     ends[each.writer] + (travels ? link_seconds(stage, each.bytes) : 0.0));
                }
                end_on.push_back(begin + seconds_.at(stage).at(layer));
            }
            const auto best = static_cast<std::size_t>(std::ranges::min_element(end_on) - end_on.begin());
            placed.push_back(best);
            ends[layer] = free_at[best] = end_on[best];
        }
        return placed;
    }

    /// The time of the slowest stage in a step, if layers are placed so: its operators, and its messages.
    [[nodiscard]] double slowest(const std::vector<std::size_t>& placed, std::size_t stages) const {
        double slowest = 0.0;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            double sum = 0.0, received = 0.0, sent = 0.0;
            for (std::size_t layer = 0; layer < placed.size(); ++layer)
                if (placed[layer] == stage) sum += seconds_.at(stage).at(layer);
            for (const auto& each : passing_) {
                const auto is_here = [&](std::size_t layer) { return placed[layer] == stage; };
                const auto here = std::ranges::count_if(each.readers, is_here);
                if (!is_here(each.writer) && here > 0) received += each.bytes;
                if (is_here(each.writer) && here < std::ssize(each.readers)) sent += each.bytes;
            }
            slowest = std::max(slowest, sum + link_seconds(stage, std::max(received, sent)));
        }
        return slowest;
    }

  private:
    [[nodiscard]] double link_seconds(std::size_t stage, double bytes) const {
        const auto rate = bytes_per_s(stage);
        return rate ? bytes / *rate : 0.0;
    }
    [[nodiscard]] std::size_t layer_of(const std::string& name) const {
        const auto found = positions_.find(layer_of_operator(name));
        return found == positions_.end() ? names_.size() - 1 : found->second;
    }

    /// The ranks that have this stage, one of each replica: the slowest decides.
    [[nodiscard]] std::vector<std::int64_t> ranks_of(std::size_t stage) const {
        const auto stages = spec_.world_size() / spec_.strategy.replicas;
        std::vector<std::int64_t> ranks;
        for (auto rank = static_cast<std::int64_t>(stage); rank < spec_.world_size(); rank += stages)
            ranks.push_back(rank);
        return ranks;
    }

    void find_seconds() {
        const auto stages = static_cast<std::size_t>(spec_.world_size() / spec_.strategy.replicas);
        for (std::size_t stage = 0; stage < stages; ++stage) {
            std::vector<double> slowest(names_.size(), 0.0);
            for (const auto rank : ranks_of(stage)) {
                const auto seconds = seconds_on(rank);
                for (std::size_t i = 0; i < seconds.size(); ++i)
                    slowest[i] = std::max(slowest[i], seconds[i]);
            }
            seconds_.push_back(std::move(slowest));
        }
    }

    /// By layer.
    [[nodiscard]] std::vector<double> seconds_on(std::int64_t rank) const {
        const auto speeds = speeds_or_defaults(cluster_, rank);
        std::vector<double> seconds(names_.size(), 0.0);
        for (const auto& op : program_.operators)
            seconds.at(layer_of(op.name)) +=
                seconds_of(program_, op, speeds, activation_bytes(spec_.kernels_of(rank))).value_or(0.0);
        return seconds;
    }

    void find_passing() {
        std::map<TensorId, Passing> passing;
        for (const auto& op : program_.operators) {
            const auto layer = layer_of(op.name);
            for (const auto id : op.inputs)
                if (const auto found = passing.find(id); found != passing.end())
                    found->second.readers.insert(layer);
            for (const auto id : op.outputs) {
                const auto& tensor = program_.tensor(id);
                if (op.kind == OperatorKind::dataset || tensor.role != TensorRole::activation) continue;
                passing[id] = {layer, {}, static_cast<double>(tensor.shape.elements()) * float_bytes};
            }
        }
        for (auto& [id, each] : passing) {
            each.readers.erase(each.writer);
            if (!each.readers.empty()) passing_.push_back(std::move(each));
        }
    }

    void find_memory() {
        kept_.resize(names_.size(), 0.0);
        held_.resize(names_.size(), 0.0);
        const double gradients = spec_.strategy.micro_batches > 1 ? 2.0 : 1.0;
        constexpr double value_and_copy = 2.0;  // a node copies its parameters to save and to compare them
        for (const auto& parameter : program_.parameters) {
            const auto& value = program_.tensor(parameter.value);
            held_.at(layer_of(value.name)) +=
                static_cast<double>(value.shape.elements()) * float_bytes *
                (value_and_copy + gradients + static_cast<double>(parameter.slots.size()));
        }
        // What a forward pass writes and a backward pass reads is kept between them.
        std::map<TensorId, std::size_t> written;
        for (const auto& op : program_.operators) {
            for (const auto id : op.inputs) {
                const auto found = written.find(id);
                if (op.pass != Pass::backward || found == written.end()) continue;
                kept_.at(found->second) += static_cast<double>(program_.tensor(id).shape.elements()) *
                                           static_cast<double>(activation_bytes(spec_.kernels));
                written.erase(found);
            }
            if (op.pass == Pass::forward)
                for (const auto id : op.outputs) written.emplace(id, layer_of(op.name));
        }
    }

    /// Each replica trains on about as many examples.
    void find_data(const DataShape& shape) {
        const auto replicas = spec_.strategy.replicas;
        const OwnExamples own{.of_run = (shape.sizes.train + replicas - 1) / replicas,
                              .of_batch = examples_of_replica(spec_)};
        const auto bytes_of = [&](const DataRole& role) {
            MemoryNeed need;
            add_data(need, spec_, shape, role, own);
            return static_cast<double>(need.total());
        };
        values_bytes_ = bytes_of({.values = true});
        labels_bytes_ = bytes_of({.labels = true});
        std::set<TensorId> values;
        for (const auto& op : program_.operators) {
            if (reads(op, ReadThing::values)) values.insert(op.outputs.begin(), op.outputs.end());
            for (const auto id : op.inputs)
                if (values.contains(id)) read_values_.insert(layer_of(op.name));
        }
    }

    /// The bytes that a stage receives and sends in a step: activations and gradients.
    [[nodiscard]] std::pair<double, double> traffic(std::size_t first, std::size_t end) const {
        double received = 0.0, sent = 0.0;
        for (const auto& each : passing_) {
            const bool inside = first <= each.writer && each.writer < end;
            if (inside) {
                if (*each.readers.begin() < first || *each.readers.rbegin() >= end) sent += each.bytes;
            } else {
                const auto reader = each.readers.lower_bound(first);
                if (reader != each.readers.end() && *reader < end) received += each.bytes;
            }
        }
        return {received, sent};
    }

    /// The memory that a stage needs, apart from data and messages.
    [[nodiscard]] double bytes(std::size_t first, std::size_t end, std::size_t stage) const {
        const auto count = spec_.strategy.micro_batches;
        const auto stages = spec_.strategy.stages.count;
        auto alive = count;
        if (spec_.strategy.schedule == PipelineSchedule::one_forward_one_backward)
            alive = std::min(count, stages - static_cast<std::int64_t>(stage));
        if (spec_.strategy.schedule == PipelineSchedule::zero_bubble) alive = std::min(count, stages);
        double held = 0.0, kept = 0.0;
        for (auto layer = first; layer < end; ++layer) {
            held += held_[layer];
            kept += kept_[layer];
        }
        return held + kept * static_cast<double>(alive) / static_cast<double>(count);
    }

    /// Of all values if the stage reads them, and of all labels in the last stage.
    [[nodiscard]] double data_bytes(std::size_t first, std::size_t end) const {
        const auto reader = read_values_.lower_bound(first);
        const bool reads_values = reader != read_values_.end() && *reader < end;
        return (reads_values ? values_bytes_ : 0.0) + (end == names_.size() ? labels_bytes_ : 0.0);
    }

    /// The least memory that a node of this stage has.
    [[nodiscard]] std::optional<double> room_of(std::size_t stage) const {
        std::optional<double> least;
        for (const auto rank : ranks_of(stage)) {
            const auto host = cluster_.nodes.at(static_cast<std::size_t>(rank)).host;
            const auto& memory = cluster_.hosts.at(static_cast<std::size_t>(host)).memory_bytes;
            if (!memory) continue;
            const auto room = static_cast<double>(*memory) /
                              static_cast<double>(std::ranges::count(cluster_.nodes, host, &NodeModel::host));
            least = std::min(least.value_or(room), room);
        }
        return least;
    }

    /// Of the slowest link to a neighbour in the same replica.
    [[nodiscard]] std::optional<double> bytes_per_s(std::size_t stage) const {
        constexpr double bits = 8.0;
        const auto stages = spec_.world_size() / spec_.strategy.replicas;
        std::optional<double> slowest;
        for (const auto rank : ranks_of(stage)) {
            for (const auto other : {rank - 1, rank + 1}) {
                if (other < 0 || other >= spec_.world_size() || other / stages != rank / stages) continue;
                const auto link = link_between(cluster_, rank, other);
                if (link.bits_per_s)
                    slowest = std::min(slowest.value_or(std::numeric_limits<double>::infinity()),
                                       *link.bits_per_s / bits);
            }
        }
        return slowest;
    }

    const ExperimentSpec& spec_;
    const ClusterModel& cluster_;
    Program program_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t> positions_;
    std::vector<std::vector<double>> seconds_;  // by stage and layer
    std::vector<Passing> passing_;
    std::vector<double> kept_,
        held_;  // by layer: bytes of activations; of parameters and what goes with them
    std::set<std::size_t> read_values_;  // layers
    double values_bytes_ = 0.0, labels_bytes_ = 0.0;
};

}  // namespace

std::optional<std::vector<std::size_t>> best_cut(std::size_t layers, std::size_t stages,
                                                 const StageSeconds& seconds) {
    constexpr double never = std::numeric_limits<double>::infinity();
    // By stage and number of layers: the least time of the slowest stage so far, and where its last begins.
    std::vector slowest(stages + 1, std::vector(layers + 1, never));
    std::vector begins(stages + 1, std::vector<std::size_t>(layers + 1, 0));
    slowest[0][0] = 0.0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        for (std::size_t end = 1; end <= layers; ++end) {
            for (std::size_t first = 0; first < end; ++first) {
                if (slowest[stage][first] == never) continue;
                const auto own = seconds(first, end, stage);
                if (!own) continue;
                const auto all = std::max(slowest[stage][first], *own);
                if (all >= slowest[stage + 1][end]) continue;
                slowest[stage + 1][end] = all;
                begins[stage + 1][end] = first;
            }
        }
    }
    if (slowest[stages][layers] == never) return std::nullopt;
    std::vector<std::size_t> ends(stages);
    for (auto stage = stages, end = layers; stage > 0; --stage) {
        ends[stage - 1] = end;
        end = begins[stage][end];
    }
    return ends;
}

namespace {

/// The end of each stage, as best_cut has them.
std::vector<std::size_t> ends_of_stages(const LayerCosts& costs, std::size_t stages) {
    const auto layers = costs.names().size();
    if (layers < stages) {
        throw DataError(
            fmt::format("$.strategy.stages: found {}, but the network has {} layers", stages, layers));
    }
    // A host gives its nodes equal parts here, but one of them may read the data of all. Where no cut has
    // room for the data, the check of the run's memory decides, and names the remedy.
    for (const auto data : {DataCounts::yes, DataCounts::no}) {
        auto ends = best_cut(layers, stages, [&](std::size_t first, std::size_t end, std::size_t stage) {
            return costs.seconds(first, end, stage, data);
        });
        if (ends) return *std::move(ends);
    }
    throw DataError(fmt::format(
        "$.strategy.stages: no cut into {} stages fits the memory of the hosts; use more nodes, or more "
        "micro_batches with the schedule \"1f1b\"",
        stages));
}

}  // namespace

std::vector<std::vector<std::string>> chosen_stages(const ExperimentSpec& spec, const DataShape& shape,
                                                    const Graph& training, const ClusterModel& cluster) {
    const LayerCosts costs(spec, shape, training, cluster);
    const auto& names = costs.names();
    const auto stages = static_cast<std::size_t>(spec.strategy.stages.count);
    std::vector<std::vector<std::string>> layers;
    std::size_t first = 0;
    for (const auto end : ends_of_stages(costs, stages)) {
        layers.emplace_back(names.begin() + static_cast<std::ptrdiff_t>(first),
                            names.begin() + static_cast<std::ptrdiff_t>(end));
        first = end;
    }
    return layers;
}

StagePrediction predicted_stages(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                                 const ClusterModel& cluster) {
    const auto count = static_cast<std::size_t>(spec.strategy.stages.count);
    const LayerCosts costs(spec, shape, training, cluster);
    const auto ends = ends_of_stages(costs, count);
    std::vector<std::size_t> placed;
    for (std::size_t stage = 0; stage < count; ++stage) placed.resize(ends[stage], stage);
    return {.chosen_s = costs.slowest(placed, count), .greedy_s = costs.slowest(costs.greedy(count), count)};
}

}  // namespace convoy
