#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/xtensor/tensor.hpp"
#include "program/program.hpp"

namespace convoy::plain {

/// Owns the memory of a back-end: tensors that live as long as the back-end, by name, and one arena for all
/// other tensors.
template <typename Scalar>
class Store {
  public:
    /// Makes room for the tensors that the programs share, and an arena for the program that needs most.
    /// Throws InternalError if programs disagree about a shared tensor.
    void reserve(std::span<const Program> programs);

    /// Whether a tensor is kept by name. Other tensors live within a step.
    static bool is_shared(TensorRole role);
    /// A shared tensor. Throws InternalError for an unknown name.
    [[nodiscard]] std::span<Scalar> shared(const std::string& name) const;
    [[nodiscard]] std::span<Scalar> arena() { return arena_; }

  private:
    void add(const std::string& name, std::int64_t elements);
    void place(const std::string& name, std::span<Scalar> values);
    void reserve(const Program& program);
    void start_slots(const Program& program);

    std::deque<std::vector<Scalar>> owned_;
    std::map<std::string, std::span<Scalar>> by_name_;
    std::vector<Scalar> arena_;
};

/// Marks the tensors that a program's operators use. Tensors that fusion made unnecessary need no memory.
std::vector<bool> touched_tensors(const Program& program);

/// Marks the tensors whose values are integers: labels, and the argmax of a pooling.
std::vector<bool> integer_tensors(const Program& program);

/// The number of elements of the program's tensors in the arena.
std::int64_t arena_elements(const Program& program);

}  // namespace convoy::plain
