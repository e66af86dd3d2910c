#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exchange/host_map.hpp"
#include "program/cost.hpp"
#include "program/program.hpp"

namespace convoy {

/// A program of a step of one node, and how often the step runs it. It refers to the program.
struct Call {
    const Program& program;
    std::int64_t times = 1;
};

/// What one rank computes, moves and exchanges in some calls.
struct StepCost {
    OperatorCost work;
    ExchangeCost exchanged;
};

/// activation_bytes: 4, or 2 where bfloat16 is the compute type.
StepCost step_cost(std::span<const Call> calls, std::int64_t rank, const HostMap& hosts,
                   std::int64_t activation_bytes);

/// One line for each exchange of a program: algorithm, type on the wire, connection, elements, and what the
/// rank sends. Empty where the program exchanges nothing.
std::string exchange_lines(const Program& program, std::int64_t rank, const HostMap& hosts);

/// The bytes that each of some ranks sends in the same calls: "800 bytes sent", or "400 to 800 bytes sent"
/// where they differ. Of more than 32 ranks it looks at the first 32.
std::string sent_text(std::span<const Call> calls, std::span<const std::int64_t> ranks, const HostMap& hosts);

}  // namespace convoy
