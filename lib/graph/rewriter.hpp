#pragma once

#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Position of an operator in a graph's list.
using Position = std::size_t;

/// Answers who writes and reads a tensor, and removes operators, for passes that rewrite a graph. Operators
/// keep their positions until finish(), so that positions stay valid through a whole pass.
class Rewriter {
  public:
    explicit Rewriter(Graph& graph) : graph_(graph), removed_(graph.operators.size(), false) {}

    [[nodiscard]] Position size() const { return graph_.operators.size(); }
    [[nodiscard]] Operator& at(Position position) { return graph_.operators.at(position); }
    [[nodiscard]] TensorInfo& tensor(TensorId id) { return graph_.tensors.at(index(id)); }
    void remove(Position position) { removed_.at(position) = true; }

    /// Whether the operator was not removed and is of this kind.
    [[nodiscard]] bool is(Position position, OperatorKind kind) const;
    /// The operator of this kind that writes id, if there is one.
    [[nodiscard]] std::optional<Position> writer(TensorId id, OperatorKind kind) const;
    /// The first operator of this kind that reads id, if there is one.
    [[nodiscard]] std::optional<Position> reader(TensorId id, OperatorKind kind) const;
    /// The only operator that reads id, if there is just one and it is of this kind.
    [[nodiscard]] std::optional<Position> sole_reader(TensorId id, OperatorKind kind) const;

    /// Drops what was removed. Positions are void after it.
    void finish();

  private:
    [[nodiscard]] bool reads(Position position, TensorId id) const;

    Graph& graph_;
    std::vector<bool> removed_;
};

}  // namespace convoy
