#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "program/program.hpp"

namespace convoy {

/// Adds operators that compute gradients of parameters over one part of a batch after the other, and adds
/// these gradients up. The gradient of the first part is written into the sum, that of another part into a
/// tensor that all of them share, which is then added to the sum.
class PartialGradients {
  public:
    /// program: gets the operators and tensors; it outlives this object. suffix: of the names of the shared
    /// tensors.
    PartialGradients(Program& program, std::string suffix);

    /// Appends an operator over the part with this number, counted from 0. Its outputs that are gradients of
    /// parameters are added up, if it is one of the backward pass.
    void append(Operator op, std::int64_t part);

  private:
    TensorId of_one_part(TensorId sum);

    Program& program_;
    std::string suffix_;
    std::map<TensorId, TensorId> of_one_part_;  // by sum
};

}  // namespace convoy
