#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Gradients (or moving statistics) that are reduced as one message. They live in the bucket: tensors[i]
/// starts offsets[i] elements into it. One without tensors is what an operator has summed in the midst of a
/// step, as a whole.
struct Bucket {
    TensorId storage{};
    std::vector<TensorId> tensors;
    std::vector<std::int64_t>
        offsets;  ///< multiples of 16 elements, so that every tensor is aligned to 64 bytes
    std::int64_t elements = 0;
    /// It holds what was kept of another bucket's gradients, each at its gradient's offset, and is not
    /// reduced itself.
    bool residuals = false;
    bool operator==(const Bucket&) const = default;
};

/// Over which examples of a step a loss and its gradients are means.
enum class AveragesOver : std::uint8_t { all_examples, own_examples };

/// train: a whole step. gradients: adds those of a micro-batch to the step's exact sums; update: adds these
/// up over all nodes and applies them. average: brings all nodes' moving statistics to their mean.
enum class ProgramKind : std::uint8_t { train, gradients, update, evaluate, average };

/// What one node does for one batch share: operators in execution order over tensors of fixed shape. Sending,
/// reducing and waiting are operators like any other.
struct Program {
    ProgramKind kind = ProgramKind::train;
    AveragesOver averages_over = AveragesOver::all_examples;
    std::int64_t rank = 0;
    std::int64_t world_size = 1;  ///< ranks that compute the step together
    /// These ranks, where the run has others beside them; empty: all of the run. rank is the place in them.
    std::vector<std::int64_t> group = {};
    std::int64_t batch = 0;  ///< examples in this node's share, or in one of its micro-batches
    std::int64_t layout_batch =
        0;  ///< the largest share in the cluster: parameter layouts are chosen for it on every rank
    std::vector<TensorInfo> tensors;
    std::vector<Operator> operators;
    std::vector<Parameter> parameters;
    std::vector<Bucket> buckets;

    [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors.at(index(id)); }
    bool operator==(const Program&) const = default;
};

/// Where a program will run, and on how much.
struct Placement {
    std::int64_t rank = 0;
    std::int64_t world_size = 1;
    std::int64_t batch = 0;
    std::int64_t layout_batch = 0;
    std::vector<std::int64_t> group = {};  ///< see Program
};

/// A graph as a program: the batch size put in, nothing added. What every strategy starts from.
Program instantiate(const Graph& graph, ProgramKind kind, const Placement& placement);

/// The same program for another share of the batch.
Program with_batch(const Program& program, std::int64_t batch);

/// The operators as text, one a line, with tensors and shapes: what `convoy plan` shows and strategy tests
/// read.
std::string to_text(const Program& program);

}  // namespace convoy
