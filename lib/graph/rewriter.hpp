#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Position of an operator in its list.
using Position = std::size_t;

/// Answers who writes and reads a tensor, and replaces or removes operators, for passes that rewrite a list
/// of operators: of a graph or of a program. Operators keep their positions until finish(), so that positions
/// stay valid through a whole pass. It refers to the lists.
///
/// It knows the operators of each tensor, so an answer costs as much as the tensor has operators, however
/// long the list is. So operators change only through put() and remove().
class Rewriter {
  public:
    Rewriter(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors);

    [[nodiscard]] Position size() const { return operators_.size(); }
    [[nodiscard]] const Operator& at(Position position) const { return operators_.at(position); }
    [[nodiscard]] TensorInfo& tensor(TensorId id) { return tensors_.at(index(id)); }
    /// Replaces the operator at a position that was not removed.
    void put(Position position, Operator op);
    void remove(Position position);

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

    /// Drops what was removed. Positions are void after it, and so is the rewriter.
    void finish();

  private:
    /// The operators of one tensor that were not removed, in ascending order.
    struct Users {
        std::vector<Position> readers, writers;
    };
    [[nodiscard]] const Users& users(TensorId id) const { return users_.at(index(id)); }
    [[nodiscard]] std::optional<Position> first_of(const std::vector<Position>& positions,
                                                   OperatorKind kind) const;
    void link(Position position);
    void unlink(Position position);

    std::vector<Operator>& operators_;
    std::vector<TensorInfo>& tensors_;
    std::vector<bool> removed_;
    std::vector<Users> users_;  // by tensor
};

}  // namespace convoy
