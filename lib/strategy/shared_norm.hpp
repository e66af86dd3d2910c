#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace convoy {

/// A message of one element, and the operators that compute it.
struct SharedSquares {
    Bucket message;
    std::vector<Operator> operators;
};

/// The sum of the squares of tensors, of which each rank of a group has some: each rank adds up the squares
/// of its own, and an all-reduce sums these numbers. message: its name; the program gets it. of: the operator
/// that this is a part of; it gives name and pass. own: may be empty. group: two ranks or more.
SharedSquares shared_squares(Program& program, const std::string& message, const Operator& of,
                             std::vector<TensorId> own, std::vector<std::int64_t> group);

/// The sum of squares that an L2 penalty needs (the operator `sum` of a weight's squares), where each rank of
/// a group has a part of the weight: shared squares, and a copy of them into sum's output. own: the rank's
/// part; absent: it has none.
SharedSquares shared_penalty(Program& program, const std::string& message, const Operator& sum,
                             std::optional<TensorId> own, std::vector<std::int64_t> group);

/// The norm of all gradients, where each rank of a group has some of them: the square root of
/// their shared squares. norm: the operator global_norm of the whole network. own: the
/// gradients that this rank has; may be empty. group: the ranks that have gradients, two or more. Returns the
/// operators that take the place of `norm`.
std::vector<Operator> shared_norm(Program& program, const Operator& norm, std::vector<TensorId> own,
                                  std::vector<std::int64_t> group);

}  // namespace convoy
