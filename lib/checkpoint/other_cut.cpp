#include "checkpoint/other_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "measure/operator_timer.hpp"
#include "tensor/tensor_names.hpp"
#include "tensor/tensor_parts.hpp"

namespace convoy {
namespace {

bool is_residual(const std::string& tensor) {
    return tensor.ends_with(residual_suffix);
}

/// Takes the tensors of all nodes, and puts those of the whole network together. residual_parts: the ranks
/// that will share the sum of the residuals.
std::vector<std::byte> whole_tensors(std::vector<NodeCheckpoint>& nodes, std::int64_t residual_parts) {
    std::vector<TensorPart> parts;
    for (auto& node : nodes) {
        if (node.tensors.empty()) continue;
        append_parts(parts, std::exchange(node.tensors, {}),
                     fmt::format("the checkpoint of node {}", node.epoch.node));
    }
    auto tensors = join_all_parts(std::move(parts), "the checkpoint", [](const std::string& name) {
        return is_residual(name) ? SharedPlaces::sum : SharedPlaces::mean;
    });
    for (auto& tensor : tensors) {
        if (!is_residual(tensor.name)) continue;
        for (auto& value : tensor.values) value /= static_cast<float>(residual_parts);
    }
    return encode_safetensors(tensors);
}

/// The records of a rank that is gone, of the epoch under way.
NodeRecords records_of(NodeCheckpoint gone) {
    NodeRecords records;
    for (const auto phase : {RunPhase::train, RunPhase::checkpoint}) {
        OperatorTimer timer(gone.epoch.node, phase, {});
        timer.begin_epoch(gone.epoch.epoch, 0);
        timer.restore(gone.operators);
        timer.flush(records);
    }
    records.steps = std::move(gone.steps);
    const auto in_training = [](const OperatorRecord& row) { return row.phase == RunPhase::train; };
    const bool has_begun = std::ranges::any_of(records.operators, in_training);
    if (has_begun) records.epochs = {gone.epoch};
    records.system = std::move(gone.system);
    return records;
}

/// The totals of a rank that is gone.
NodeSummary totals_of(const NodeCheckpoint& gone) {
    auto totals = gone.so_far;
    totals.train_s += gone.epoch.train_s;  // so far, they count whole epochs only
    return totals;
}

/// A rank that is not there now. If there was one of its number earlier in the run, the totals of that rank
/// go on.
NodeCheckpoint new_rank(std::int64_t rank, const NodeCheckpoint& another, std::vector<NodeSummary>& gone) {
    NodeCheckpoint node;
    node.step = another.step;
    node.validation = another.validation;
    node.epoch.node = rank;
    node.epoch.epoch = another.epoch.epoch;
    node.so_far.node = rank;
    const auto earlier = std::ranges::find(gone, rank, &NodeSummary::node);
    if (earlier == gone.end()) return node;
    node.so_far = *earlier;
    gone.erase(earlier);
    return node;
}

}  // namespace

CutCheckpoint cut_anew(RunCheckpoint checkpoint, std::int64_t ranks) {
    CutCheckpoint cut{std::move(checkpoint), {}};
    auto& nodes = cut.checkpoint.nodes;
    auto& gone = cut.checkpoint.gone;
    auto tensors = whole_tensors(nodes, ranks);
    while (std::ssize(nodes) > ranks) {
        gone.push_back(totals_of(nodes.back()));
        cut.last_records[std::ssize(nodes) - 1] = records_of(std::move(nodes.back()));
        nodes.pop_back();
    }
    while (std::ssize(nodes) < ranks) nodes.push_back(new_rank(std::ssize(nodes), nodes.front(), gone));
    nodes.front().tensors = std::move(tensors);
    return cut;
}

}  // namespace convoy
