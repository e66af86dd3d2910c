#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Gradients (or moving statistics) that one exchange moves. The tensors lie in the bucket: tensors[i] begins
/// at element offsets[i]. A bucket without tensors is exchanged as a whole: the statistics of a synchronised
/// batch normalisation, for instance.
struct Bucket {
    TensorId storage{};
    std::vector<TensorId> tensors;
    /// In elements. Multiples of 16, so each tensor is aligned to 64 bytes.
    std::vector<std::int64_t> offsets;
    std::int64_t elements = 0;
    /// The bucket holds the residuals of another bucket's gradients, each at the offset of its gradient. It
    /// is not summed itself.
    bool residuals = false;
    /// The storage of the bucket that holds the residuals of these gradients, if there is one.
    std::optional<TensorId> residuals_in = {};
    bool operator==(const Bucket&) const = default;
};

/// The examples of a step over which a loss and its gradients are averaged.
enum class AveragesOver : std::uint8_t { all_examples, own_examples };

/// The purpose of a program.
///
/// * train: a whole step
/// * gradients: adds the gradients of one micro-batch to the step's exact sums
/// * update: sums the exact sums over all nodes and updates the parameters
/// * evaluate: computes loss and predictions of a batch
/// * average: replaces the moving statistics by their mean over all nodes
enum class ProgramKind : std::uint8_t { train, gradients, update, evaluate, average };

/// The work of one node on its share of one batch: operators in execution order over tensors of fixed shape.
/// Exchanges are operators, too.
struct Program {
    ProgramKind kind = ProgramKind::train;
    AveragesOver averages_over = AveragesOver::all_examples;
    std::int64_t rank = 0;
    std::int64_t world_size = 1;  ///< number of ranks that compute the step together
    /// The ranks that compute the step together. Empty: all ranks of the run. If it is not empty, `rank` is
    /// the position in it.
    std::vector<std::int64_t> group = {};
    std::int64_t batch = 0;  ///< examples in this node's share, or in one of its micro-batches
    /// The largest share in the cluster. Each rank chooses the parameter layouts for this share.
    std::int64_t layout_batch = 0;
    std::vector<TensorInfo> tensors;
    std::vector<Operator> operators;
    std::vector<Parameter> parameters;
    std::vector<Bucket> buckets;  ///< in ascending order of their storage

    [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors.at(index(id)); }
    bool operator==(const Program&) const = default;
};

/// The rank and the batch of a program.
struct Placement {
    std::int64_t rank = 0;
    std::int64_t world_size = 1;
    std::int64_t batch = 0;
    std::int64_t layout_batch = 0;
    std::vector<std::int64_t> group = {};  ///< see Program
};

/// Makes a program of a graph: sets the batch size and adds no operators. Every strategy begins with it.
/// Throws SizeError, which names the tensor, if a tensor of this batch is too large (check_size).
Program instantiate(const Graph& graph, ProgramKind kind, const Placement& placement);

/// The position of the bucket that has this storage. Throws InternalError if there is none.
std::size_t bucket_position(const Program& program, TensorId storage);

/// Makes the same program for a share of another size.
Program with_batch(const Program& program, std::int64_t batch);

/// The names of the programs' tensors that outlive a binding, see outlives_binding.
std::set<std::string> kept_tensors(std::span<const Program> programs);

/// The operators as text, one operator a line, with tensors and shapes. `convoy plan` prints it, and tests of
/// strategies read it.
std::string to_text(const Program& program);

}  // namespace convoy
