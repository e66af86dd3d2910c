#include "report/results_builder.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

/// The mean of two values, weighted by calls.
double weighted(double one, std::int64_t calls, double other, std::int64_t other_calls) {
    const auto all = calls + other_calls;
    if (all == 0) return one;
    return (one * static_cast<double>(calls) + other * static_cast<double>(other_calls)) /
           static_cast<double>(all);
}

void merge(OperatorRecord& into, const OperatorRecord& row) {
    into.epoch = row.epoch;
    into.p50_us = weighted(into.p50_us, into.calls, row.p50_us, row.calls);
    into.p99_us = weighted(into.p99_us, into.calls, row.p99_us, row.calls);
    into.calls += row.calls;
    into.total_us += row.total_us;
    into.mean_us = into.calls > 0 ? into.total_us / static_cast<double>(into.calls) : 0.0;
    if (row.communication) {
        if (!into.communication) into.communication.emplace();
        *into.communication += *row.communication;
    }
    if (row.work) {
        if (!into.work) into.work.emplace();
        *into.work += *row.work;
    }
}

/// Two neighbouring readings as one; `count` readings are in the first, `more` in the second.
SystemSample together(const SystemSample& first, std::size_t count, const SystemSample& second,
                      std::size_t more) {
    const auto mean = [&](double one, double other) {
        return weighted(one, static_cast<std::int64_t>(count), other, static_cast<std::int64_t>(more));
    };
    auto both = second;
    both.cpu_user_pct = mean(first.cpu_user_pct, second.cpu_user_pct);
    both.cpu_system_pct = mean(first.cpu_system_pct, second.cpu_system_pct);
    both.cpu_iowait_pct = mean(first.cpu_iowait_pct, second.cpu_iowait_pct);
    if (first.cpu_idle_pct && second.cpu_idle_pct)
        both.cpu_idle_pct = mean(*first.cpu_idle_pct, *second.cpu_idle_pct);
    both.resident_bytes = std::max(first.resident_bytes, second.resident_bytes);
    both.machine_used_bytes = std::max(first.machine_used_bytes, second.machine_used_bytes);
    return both;
}

}  // namespace

void ResultsBuilder::add(const OperatorRecord& row) {
    OperatorKey key(row.node, row.phase, row.operator_name, row.name, row.pass, row.kind,
                    row.folded_into.value_or(""));
    const auto [place, is_new] = places_.try_emplace(std::move(key), results_.operators.size());
    if (is_new) {
        results_.operators.push_back(row);
    } else {
        merge(results_.operators[place->second], row);
    }
}

void ResultsBuilder::add(const StepRecord& row) {
    auto& told = told_[row.node];
    told.steps = std::max(told.steps, row.step);
    results_.last_step = std::max(results_.last_step, row.step);
    if (row.step % results_.step_stride != 0) {
        results_.left_out_step_us += row.step_us;
        return;
    }
    results_.steps.push_back(row);
    if (results_.steps.size() > most_step_rows_) halve_steps();
}

void ResultsBuilder::halve_steps() {
    results_.step_stride *= 2;
    std::erase_if(results_.steps, [this](const StepRecord& row) {
        const bool leaves = row.step % results_.step_stride != 0;
        if (leaves) results_.left_out_step_us += row.step_us;
        return leaves;
    });
}

void ResultsBuilder::add(const NodeEpochRecord& row) {
    add_to(epochs_[row.epoch], row);
    auto& told = told_[row.node];
    told.train_s += row.train_s;
    told.evaluate_s += row.evaluate_s;
}

void ResultsBuilder::add(const SystemSample& row) {
    auto& told = told_[row.node];
    told.total_s = row.time_s;
    told.peak_resident_bytes = std::max(told.peak_resident_bytes, row.resident_bytes);
    told.sent_bytes = row.sent_bytes;
    told.received_bytes = row.received_bytes;
    if (group_.count > 0 && group_.sum.node != row.node) end_group();
    group_.sum = group_.count == 0 ? row : together(group_.sum, group_.count, row, 1);
    if (++group_.count >= group_size_) end_group();
}

void ResultsBuilder::end_group() {
    results_.system.push_back(group_.sum);
    group_ = {};
    if (results_.system.size() > most_readings_) halve_readings();
}

void ResultsBuilder::halve_readings() {
    group_size_ *= 2;
    std::vector<SystemSample> half;
    half.reserve(results_.system.size() / 2 + 1);
    for (std::size_t i = 0; i < results_.system.size(); ++i) {
        const auto& first = results_.system[i];
        const bool pair = i + 1 < results_.system.size() && results_.system[i + 1].node == first.node;
        half.push_back(pair ? together(first, 1, results_.system[i + 1], 1) : first);
        if (pair) ++i;
    }
    results_.system = std::move(half);
}

void ResultsBuilder::add(const NodeSummary& row) {
    const auto known = std::ranges::find(results_.summaries, row.node, &NodeSummary::node);
    if (known != results_.summaries.end()) {
        *known = row;
    } else {
        results_.summaries.push_back(row);
    }
}

void ResultsBuilder::add(const UpdateRecord& row) {
    auto& worker = updates_[row.worker];
    ++worker.by_staleness[row.staleness];
    worker.most_ahead = std::max(worker.most_ahead, row.ahead);
    const std::pair pull(row.worker, row.step);
    const auto found = versions_.find(pull);
    if (found != versions_.end()) {
        auto& versions = found->second;
        versions.least = std::min(versions.least, row.version);
        versions.most = std::max(versions.most, row.version);
        ++versions.servers;
    } else if (versions_.size() < most_compared_pulls) {
        versions_[pull] = {row.version, row.version, 1};
    }
}

void ResultsBuilder::count_updates() {
    for (const auto& [pull, versions] : versions_) {
        if (versions.servers < 2) continue;
        auto& worker = updates_.at(pull.first);
        ++worker.pulls;
        if (versions.most > versions.least) ++worker.mixed_pulls;
        worker.largest_spread = std::max(worker.largest_spread, versions.most - versions.least);
    }
    for (auto& [worker, updates] : updates_) {
        updates.worker = worker;
        results_.updates.push_back(std::move(updates));
    }
}

void ResultsBuilder::add(const NodeRecords& part) {
    for (const auto& row : part.operators) add(row);
    for (const auto& row : part.steps) add(row);
    for (const auto& row : part.epochs) add(row);
    for (const auto& row : part.system) add(row);
    for (const auto& row : part.summaries) add(row);
    for (const auto& row : part.updates) add(row);
}

RunResults ResultsBuilder::finish() {
    if (group_.count > 0) end_group();
    count_updates();
    for (const auto& [epoch, sum] : epochs_) results_.epochs.push_back(epoch_record(sum));
    for (auto& [node, told] : told_) {
        told.node = node;
        if (std::ranges::find(results_.summaries, node, &NodeSummary::node) == results_.summaries.end())
            results_.summaries.push_back(told);
    }
    std::ranges::stable_sort(results_.summaries, {}, &NodeSummary::node);
    return std::move(results_);
}

}  // namespace convoy
