#include "checkpoint/other_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "measure/operator_timer.hpp"
#include "tensor/tensor_parts.hpp"

namespace convoy {
namespace {

bool is_residual(const std::string& tensor) {
    return tensor.ends_with("/residual");
}

/// The tensors of the whole network. residual_parts: the ranks that will share the sum of the residuals.
std::vector<std::byte> whole_tensors(const std::vector<NodeCheckpoint>& nodes, std::int64_t residual_parts) {
    std::vector<TensorPart> parts;
    for (const auto& node : nodes) {
        if (node.tensors.empty()) continue;
        std::ranges::move(
            decode_parts(node.tensors, fmt::format("the checkpoint of node {}", node.epoch.node)),
            std::back_inserter(parts));
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
        OperatorTimer timer(gone.epoch.node, phase, 0);
        timer.begin_epoch(gone.epoch.epoch, 0);
        timer.restore(gone.operators);
        timer.flush(records);
    }
    records.steps = std::move(gone.steps);
    records.epochs = {gone.epoch};
    records.system = std::move(gone.system);
    records.summaries = {gone.so_far};
    return records;
}

/// A rank that was not there before; it has done nothing yet.
NodeCheckpoint new_rank(std::int64_t rank, const NodeCheckpoint& another) {
    NodeCheckpoint node;
    node.step = another.step;
    node.validation = another.validation;
    node.epoch.node = rank;
    node.epoch.epoch = another.epoch.epoch;
    node.so_far.node = rank;
    return node;
}

}  // namespace

RunCheckpoint cut_anew(RunCheckpoint checkpoint, std::int64_t ranks) {
    auto& nodes = checkpoint.nodes;
    auto tensors = whole_tensors(nodes, ranks);
    while (std::ssize(nodes) > ranks) {
        checkpoint.records.append(records_of(std::move(nodes.back())));
        nodes.pop_back();
    }
    while (std::ssize(nodes) < ranks) nodes.push_back(new_rank(std::ssize(nodes), nodes.front()));
    for (auto& node : nodes) node.tensors.clear();
    nodes.front().tensors = std::move(tensors);
    return checkpoint;
}

}  // namespace convoy
