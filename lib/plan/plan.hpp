#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "plan/data_plan.hpp"
#include "plan/node_plan.hpp"

namespace convoy {

/// What all nodes of a run do. The plan of a node is compiled when it is asked for, so that a plan for many
/// nodes costs no more than the nodes that are looked at.
class Plan {
  public:
    using CompileNode = std::function<NodePlan(std::int64_t rank)>;

    /// compile_node: a pure function.
    Plan(DataPlan data, std::int64_t ranks, CompileNode compile_node)
        : data_(std::move(data)), ranks_(ranks), compile_node_(std::move(compile_node)) {}

    [[nodiscard]] const DataPlan& data() const { return data_; }
    [[nodiscard]] std::int64_t ranks() const { return ranks_; }
    /// Throws DataError where the strategy cannot train the network as the spec asks.
    [[nodiscard]] NodePlan of(std::int64_t rank) const { return compile_node_(rank); }

  private:
    DataPlan data_;
    std::int64_t ranks_;
    CompileNode compile_node_;
};

}  // namespace convoy
