#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Position of an operator in its list.
using Position = std::size_t;

/// Answers who writes and reads a tensor, and removes operators, for passes that rewrite a list of operators:
/// of a graph or of a program. Operators keep their positions until finish(), so that positions stay valid
/// through a whole pass. It refers to the lists.
class Rewriter {
  public:
    Rewriter(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors)
        : operators_(operators), tensors_(tensors), removed_(operators.size(), false) {}

    [[nodiscard]] Position size() const { return operators_.size(); }
    [[nodiscard]] Operator& at(Position position) { return operators_.at(position); }
    [[nodiscard]] TensorInfo& tensor(TensorId id) { return tensors_.at(index(id)); }
    void remove(Position position) { removed_.at(position) = true; }

    /// Whether the operator was not removed and is of this kind.
    [[nodiscard]] bool is(Position position, OperatorKind kind) const;
    /// The operator of this kind that writes id, if there is one.
    [[nodiscard]] std::optional<Position> writer(TensorId id, OperatorKind kind) const;
    /// The first operator of this kind that reads id, if there is one.
    [[nodiscard]] std::optional<Position> reader(TensorId id, OperatorKind kind) const;
    /// The only operator that reads id, if there is just one.
    [[nodiscard]] std::optional<Position> sole_reader(TensorId id) const;
    /// The same, if it is of this kind.
    [[nodiscard]] std::optional<Position> sole_reader(TensorId id, OperatorKind kind) const;

    /// How many operators read id.
    [[nodiscard]] std::size_t count_readers(TensorId id) const;
    /// Whether every operator that writes id stands before this position.
    [[nodiscard]] bool written_before(TensorId id, Position position) const;
    /// From this position on, operators read and write `to` in place of `from`.
    void replace(TensorId from, TensorId to, Position position);

    /// Drops what was removed. Positions are void after it.
    void finish();

  private:
    [[nodiscard]] bool reads(Position position, TensorId id) const;

    std::vector<Operator>& operators_;
    std::vector<TensorInfo>& tensors_;
    std::vector<bool> removed_;
};

}  // namespace convoy
