#include "cluster/harvest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

/// The weights of a network as one safetensors file: the parts that nodes saved, in the order of ranks. A
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

Harvest::Harvest(std::size_t nodes, const std::optional<RunCheckpoint>& resume) : nodes_(nodes) {
    if (!resume) return;
    resumed_records_ = resume->records;
    resumed_from_steps_ = resume->resumed_from_steps;
    resumed_from_steps_.push_back(resume->step());
}

void Harvest::take_records(std::int64_t rank, NodeRecords records) {
    nodes_.at(static_cast<std::size_t>(rank)).records.append(std::move(records));
}

void Harvest::take_checkpoint(std::int64_t rank, NodeCheckpoint checkpoint) {
    auto& node = nodes_.at(static_cast<std::size_t>(rank));
    node.checkpoint = std::move(checkpoint);
    // Now, since the node may tell more records before the others have told their checkpoint.
    node.records_at_checkpoint = node.records;
}

RunCheckpoint Harvest::gather_checkpoint() {
    RunCheckpoint all{.records = resumed_records_, .resumed_from_steps = resumed_from_steps_, .nodes = {}};
    for (auto& node : nodes_) {
        all.records.append(std::exchange(node.records_at_checkpoint, {}));
        all.nodes.push_back(std::exchange(node.checkpoint, {}));
    }
    all.records.trace.clear();
    return all;
}

RunOutcome Harvest::finish(std::span<const Member> members) {
    RunOutcome outcome;
    outcome.records = std::move(resumed_records_);
    for (auto& node : nodes_) outcome.records.append(std::move(node.records));
    outcome.weights = joined(std::exchange(weights_, {}));
    outcome.resumed_from_steps = std::move(resumed_from_steps_);
    for (auto& summary : outcome.records.summaries) {
        if (summary.node < 0 || summary.node >= std::ssize(members)) continue;
        const auto clock = clock_of(members[static_cast<std::size_t>(summary.node)]);
        if (clock) summary.clock = *clock;
    }
    for (const auto& member : members) outcome.nodes.push_back(member.info);
    return outcome;
}

}  // namespace convoy
