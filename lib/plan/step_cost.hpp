#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exchange/host_map.hpp"
#include "plan/node_plan.hpp"
#include "program/cost.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A program of one node's step, and the number of its runs in the step. It refers to the program.
struct Call {
    const Program& program;
    std::int64_t times = 1;
};

/// The calls of a node's programs of one step, each program once. They refer to the node's programs.
std::vector<Call> calls_of_step(const NodePlan& node);

/// The bytes of one element of an activation with these kernels: 4, or 2 if the compute type is bfloat16.
std::int64_t activation_bytes(const KernelSpec& kernels);

/// The work of one rank in some calls, and the cost of its exchanges.
struct StepCost {
    OperatorCost work;
    ExchangeCost exchanged;
};

/// Sums the cost of these calls. bytes_of_activation: see activation_bytes.
StepCost step_cost(std::span<const Call> calls, std::int64_t rank, const HostMap& hosts,
                   std::int64_t bytes_of_activation);

/// The exchanges of a program as text, one line each: algorithm, type on the wire, connection, elements, and
/// the bytes and frames that the rank sends, if they are known. Empty if the program has no exchange.
std::string exchange_lines(const Program& program, std::int64_t rank, const HostMap& hosts);

/// The bytes that each of these ranks sends in the same calls, as text: "800 bytes sent", or "400 to 800
/// bytes sent" if the ranks differ. It says so if the number is not known. Only the first 32 ranks are
/// counted.
std::string sent_text(std::span<const Call> calls, std::span<const std::int64_t> ranks, const HostMap& hosts);

}  // namespace convoy
