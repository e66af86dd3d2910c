#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "strategy/node_plan_builder.hpp"
#include "strategy/server_exchanges.hpp"

namespace convoy {

/// The program of a server before its exchanges: the updates of all parameters, which add the gradient of a
/// penalty in place, and the buckets of all gradients.
Program server_program(const NodePlanBuilder& plan);

/// The parameters of which a server updates elements, and the way in which it gets the elements of the other
/// servers before a checkpoint. It refers to the plan.
class ServerState {
  public:
    ServerState(const NodePlanBuilder& plan, std::int64_t rank);

    /// The names of these parameters.
    [[nodiscard]] std::set<std::string> updated() const;
    /// A program in which the servers that share a parameter send each other their elements of its value and
    /// its slots, by way of its gradient's place, so that each of them has them whole. Absent if this server
    /// shares none.
    [[nodiscard]] std::optional<Program> made_whole() const;

  private:
    /// A parameter's gradient in its bucket, and the elements of each server.
    struct Shared {
        TensorId bucket{};
        std::uint64_t first = 0;
        std::map<std::int64_t, ElementRange> elements = {};  ///< by rank of a server
    };

    void add_exchanges(Program& program, const Parameter& parameter, const Shared& shared) const;

    const NodePlanBuilder& plan_;
    std::int64_t rank_;
    std::map<std::string, Shared> by_name_;
};

}  // namespace convoy
