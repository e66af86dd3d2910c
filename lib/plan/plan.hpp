#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "plan/data_plan.hpp"
#include "plan/node_plan.hpp"

namespace convoy {

/// The work of all nodes of a run. The plan of a node is compiled when `of` asks for it, so a plan of many
/// nodes costs only the nodes that are asked for.
class Plan {
  public:
    using CompileNode = std::function<NodePlan(std::int64_t rank)>;

    /// compile_node: a pure function; it compiles the plan of one rank.
    Plan(DataPlan data, std::int64_t ranks, CompileNode compile_node)
        : data_(std::move(data)), ranks_(ranks), compile_node_(std::move(compile_node)) {}

    [[nodiscard]] const DataPlan& data() const { return data_; }
    [[nodiscard]] std::int64_t ranks() const { return ranks_; }
    /// Compiles the plan of a rank. Throws DataError if the strategy cannot train the network of the spec.
    [[nodiscard]] NodePlan of(std::int64_t rank) const { return compile_node_(rank); }

  private:
    DataPlan data_;
    std::int64_t ranks_;
    CompileNode compile_node_;
};

}  // namespace convoy
