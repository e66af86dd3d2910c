#include "report/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace convoy {

std::set<std::int64_t> server_ranks(const std::vector<StepRecord>& steps, std::int64_t nodes) {
    std::set<std::int64_t> behind, with_examples;
    for (const auto& row : steps) {
        if (row.node < nodes) continue;
        (row.examples > 0 ? with_examples : behind).insert(row.node);
    }
    for (const auto rank : with_examples) behind.erase(rank);
    return behind;
}

std::vector<ClusterStep> cluster_steps(const std::vector<StepRecord>& steps, std::int64_t nodes) {
    const auto servers = server_ranks(steps, nodes);
    std::map<std::int64_t, ClusterStep> by_step;
    for (const auto& node : steps) {
        if (servers.contains(node.node)) continue;
        auto& step = by_step[node.step];
        step.epoch = node.epoch;
        step.step = node.step;
        // A node without examples has no loss; 0 times NaN would spoil the sum.
        if (node.examples > 0) step.loss += node.loss * static_cast<double>(node.examples);
        step.correct += node.correct;
        step.examples += node.examples;
        step.step_us = std::max(step.step_us, node.step_us);
    }
    std::vector<ClusterStep> all;
    all.reserve(by_step.size());
    for (auto& [number, step] : by_step) {
        if (step.examples > 0) step.loss /= static_cast<double>(step.examples);
        all.push_back(step);
    }
    return all;
}

std::vector<ClusterStep> cluster_steps_behind_warm_up(const std::vector<StepRecord>& steps,
                                                      std::int64_t nodes) {
    auto all = cluster_steps(steps, nodes);
    all.erase(all.begin(), all.begin() + left_out_of(std::ssize(all)));
    return all;
}

std::optional<StepFigures> step_figures(const std::vector<StepRecord>& steps, std::int64_t nodes) {
    const auto all = cluster_steps_behind_warm_up(steps, nodes);
    if (all.empty()) return std::nullopt;

    // Nodes wait for each other, but not all in the same step: the times of each step's slowest node add up
    // to more than any node took.
    const auto servers = server_ranks(steps, nodes);
    std::map<std::int64_t, double> by_node;
    for (const auto& node : steps) {
        if (!servers.contains(node.node) && node.step >= all.front().step) by_node[node.node] += node.step_us;
    }
    double slowest_us = 0.0;
    for (const auto& [node, took_us] : by_node) slowest_us = std::max(slowest_us, took_us);

    Durations durations;
    std::vector<double> speeds;
    std::int64_t examples = 0;
    for (const auto& step : all) {
        durations.add(step.step_us);
        examples += step.examples;
        if (step.step_us > 0.0) speeds.push_back(1e6 * static_cast<double>(step.examples) / step.step_us);
    }
    if (speeds.empty()) return std::nullopt;
    std::sort(speeds.begin(), speeds.end());
    const auto statistics = durations.statistics();
    return StepFigures{.step_us = statistics,
                       .examples_per_second_mean = 1e6 * static_cast<double>(examples) / slowest_us,
                       .examples_per_second_p50 = quantile(std::span<const double>(speeds), 0.5)};
}

std::optional<GradientNorms> gradient_norms(const std::vector<StepRecord>& steps) {
    std::map<std::int64_t, double> by_step;
    for (const auto& step : steps) {
        if (!step.gradient_norm || !std::isfinite(*step.gradient_norm)) continue;
        auto& largest = by_step[step.step];
        largest = std::max(largest, *step.gradient_norm);
    }
    if (by_step.empty()) return std::nullopt;
    std::vector<double> norms;
    for (const auto& [step, norm] : by_step) norms.push_back(norm);
    std::ranges::sort(norms);
    const std::span<const double> sorted(norms);
    return GradientNorms{.p50 = quantile(sorted, 0.5), .p99 = quantile(sorted, 0.99), .max = norms.back()};
}

PhaseTimes phase_times(const std::vector<NodeSummary>& summaries, std::int64_t nodes) {
    PhaseTimes slowest;
    for (const auto& node : summaries) {
        slowest.read_s = std::max(slowest.read_s, node.read_s);
        slowest.preprocess_s = std::max(slowest.preprocess_s, node.preprocess_s);
        if (node.node < nodes) slowest.train_s = std::max(slowest.train_s, node.train_s);
        slowest.evaluate_s = std::max(slowest.evaluate_s, node.evaluate_s);
        slowest.checkpoint_s = std::max(slowest.checkpoint_s, node.checkpoint_s);
        slowest.total_s = std::max(slowest.total_s, node.total_s);
        slowest.fetch_s = std::max(slowest.fetch_s, node.fetch_s);
    }
    return slowest;
}

std::optional<TimeToAccuracy> time_to_accuracy(const std::vector<EpochRecord>& epochs,
                                               const AccuracyTarget& target) {
    const auto accuracy =
        target.split == "validation" ? &EpochRecord::validation_accuracy : &EpochRecord::test_accuracy;
    double seconds = 0.0;
    for (const auto& epoch : epochs) {
        seconds += epoch.train_s + epoch.evaluate_s;
        if (const auto& reached = epoch.*accuracy; reached && *reached >= target.accuracy)
            return TimeToAccuracy{.epoch = epoch.epoch, .seconds = seconds};
    }
    return std::nullopt;
}

InputTimes input_times(const std::vector<NodeSummary>& summaries) {
    InputTimes slowest;
    for (const auto& node : summaries) {
        const auto& input = node.input;
        slowest.interleave_s = std::max(slowest.interleave_s, input.interleave_s);
        slowest.prepare_s = std::max(slowest.prepare_s, input.prepare_s);
        slowest.shuffle_s = std::max(slowest.shuffle_s, input.shuffle_s);
        slowest.batch_s = std::max(slowest.batch_s, input.batch_s);
        slowest.map_s = std::max(slowest.map_s, input.map_s);
        slowest.augment_s = std::max(slowest.augment_s, input.augment_s);
    }
    return slowest;
}

double data_wait_us(const RunResults& results, std::int64_t node) {
    double sum = 0.0;
    for (const auto& row : results.operators) {
        if (row.node == node && row.phase == RunPhase::train && is_of_data(row.operator_name))
            sum += row.total_us;
    }
    return sum;
}

double mean_data_wait_us(const RunResults& results) {
    double sum = 0.0;
    for (std::int64_t node = 0; node < results.nodes; ++node) sum += data_wait_us(results, node);
    return sum / static_cast<double>(std::max<std::int64_t>(results.nodes, 1));
}

CommunicationTimes communication_of(const std::vector<OperatorRecord>& operators, std::int64_t node) {
    CommunicationTimes sum;
    for (const auto& row : operators) {
        if (row.node == node && row.communication) sum += *row.communication;
    }
    return sum;
}

}  // namespace convoy
