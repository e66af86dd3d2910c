#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace convoy {

/// The norm of all gradients, where each rank of a group has some of them: each rank adds up the squares of
/// its own gradients, an all-reduce sums these numbers, and each rank takes the square root.
///
/// program: gets a message of one element. norm: the operator global_norm of the whole network. own: the
/// gradients that this rank has; may be empty. group: the ranks that have gradients, two or more. Returns the
/// operators that take the place of `norm`.
std::vector<Operator> shared_norm(Program& program, const Operator& norm, std::vector<TensorId> own,
                                  std::vector<std::int64_t> group);

}  // namespace convoy
