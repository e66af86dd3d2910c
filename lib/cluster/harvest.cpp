#include "cluster/harvest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/version.hpp"
#include "tensor/tensor_parts.hpp"

namespace convoy {

namespace {

/// The offset of the clock of a node that estimates of it were made of.
std::optional<ClockOffset> clock_of(const Member& member) {
    const auto& last = member.clock.best();
    const auto& first = member.first_clock ? member.first_clock : last;
    if (!first) return std::nullopt;
    const auto& end = last ? last : first;
    return ClockOffset{.start_us = first->offset_us,
                       .end_us = end->offset_us,
                       .round_trip_us = std::max(first->round_trip_us, end->round_trip_us)};
}

/// The weights of a network as one safetensors file: all parts that nodes saved, in the order of ranks. A
/// node that saved alone has the whole.
std::vector<std::byte> joined(std::map<std::int64_t, std::vector<std::byte>> saved) {
    if (saved.empty()) return {};
    if (saved.size() == 1) return std::move(saved.begin()->second);
    std::vector<TensorPart> parts;
    for (auto& [rank, bytes] : saved)
        append_parts(parts, std::exchange(bytes, {}), fmt::format("the weights of node {}", rank));
    const auto tensors = join_all_parts(std::move(parts), "the weights of all nodes",
                                        [](const std::string& /*name*/) { return SharedPlaces::refused; });
    return encode_safetensors(tensors, {{"producer", fmt::format("convoy {}", version())}});
}

}  // namespace

Harvest::Harvest(std::size_t nodes, const std::optional<RunCheckpoint>& resume, RecordSink* sink,
                 std::vector<std::int64_t> weights_from)
    : sink_(sink),
      nodes_(nodes),
      records_(sink == nullptr ? nodes : 0),
      ranks_with_records_(nodes),
      weights_from_(std::move(weights_from)) {
    if (!resume) return;
    ranks_with_records_ = std::max(nodes, resume->marks.size());
    gone_ = resume->gone;
    resumed_from_steps_ = resume->resumed_from_steps;
    resumed_from_steps_.push_back(resume->step());
}

void Harvest::to_sink(const std::function<void()>& give) {
    try {
        give();
    } catch (const OutputError& error) {
        if (!problem_) problem_ = error.what();
    }
}

void Harvest::take_records(std::int64_t rank, NodeRecords records) {
    auto& told = nodes_.at(static_cast<std::size_t>(rank));
    if (!records.summaries.empty()) told.summary = records.summaries.back();
    if (sink_ == nullptr) {
        records_.at(static_cast<std::size_t>(rank)).append(std::move(records));
        return;
    }
    if (!problem_) to_sink([&] { sink_->take(rank, std::move(records)); });
    // A node sends its weights before its summary.
    if (std::ranges::all_of(nodes_, [](const Told& node) { return node.summary.has_value(); }))
        hand_weights_on();
}

std::vector<std::byte> Harvest::move_weights_out() {
    const auto has_come = [this](std::int64_t rank) { return weights_.contains(rank); };
    if (!std::ranges::all_of(weights_from_, has_come)) return {};
    return joined(std::exchange(weights_, {}));
}

void Harvest::hand_weights_on() {
    if (sink_ == nullptr) return;
    const auto bytes = move_weights_out();
    if (!bytes.empty()) to_sink([&] { sink_->take_weights(bytes); });
}

void Harvest::save_weights() noexcept {
    try {
        hand_weights_on();
    } catch (const std::exception&) {
        // The failure of the run is what the user has to know.
        weights_.clear();
    }
}

void Harvest::note_interrupted() {
    if (sink_ != nullptr) to_sink([this] { sink_->note_interrupted(); });
}

void Harvest::take_checkpoint(std::int64_t rank, NodeCheckpoint checkpoint) {
    auto& node = nodes_.at(static_cast<std::size_t>(rank));
    node.checkpoint = std::move(checkpoint);
    // Now, since the node may tell more records before the others have told their checkpoint.
    node.mark_at_checkpoint = sink_ == nullptr ? 0 : sink_->mark(rank);
}

void Harvest::go_on_with(std::size_t nodes) {
    nodes_.clear();
    nodes_.resize(nodes);
    weights_.clear();
}

std::optional<RunCheckpoint> Harvest::gather_checkpoint() {
    if (problem_) {
        for (auto& node : nodes_) node.checkpoint = {};
        return std::nullopt;
    }
    RunCheckpoint all{.marks = {}, .gone = gone_, .resumed_from_steps = resumed_from_steps_, .nodes = {}};
    for (auto& node : nodes_) {
        all.marks.push_back(node.mark_at_checkpoint);
        all.nodes.push_back(std::exchange(node.checkpoint, {}));
    }
    for (auto rank = nodes_.size(); sink_ != nullptr && rank < ranks_with_records_; ++rank)
        all.marks.push_back(sink_->mark(static_cast<std::int64_t>(rank)));
    return all;
}

void Harvest::tell_again(const NodeSummary& summary) {
    if (sink_ == nullptr) {
        for (auto& told : records_.at(static_cast<std::size_t>(summary.node)).summaries) told = summary;
        return;
    }
    NodeRecords last;
    last.summaries = {summary};
    if (!problem_) to_sink([&] { sink_->take(summary.node, std::move(last)); });
}

RunOutcome Harvest::finish(std::span<const Member> members) {
    RunOutcome outcome;
    hand_weights_on();
    for (const auto& summary : gone_)
        if (sink_ != nullptr) tell_again(summary);
    for (const auto& member : members) {
        auto& told = nodes_.at(static_cast<std::size_t>(member.info.rank)).summary;
        const auto clock = clock_of(member);
        if (!told || !clock) continue;
        told->clock = *clock;
        tell_again(*told);
    }
    for (auto& records : records_) outcome.records.append(std::move(records));
    outcome.weights = move_weights_out();
    outcome.resumed_from_steps = std::move(resumed_from_steps_);
    for (const auto& member : members) outcome.nodes.push_back(member.info);
    return outcome;
}

}  // namespace convoy
