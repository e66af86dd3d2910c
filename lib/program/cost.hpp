#pragma once

#include <cstdint>
#include <string>

#include "exchange/exchange_cost.hpp"
#include "graph/operator_cost.hpp"
#include "program/program.hpp"

namespace convoy {

/// The cost of one run of an operator of the program, as operator_cost() counts it. activation_bytes: 4, or 2
/// where bfloat16 is the compute type.
OperatorCost cost_of(const Program& program, const Operator& op, std::int64_t activation_bytes = 4);

/// All operators of a program together.
OperatorCost cost_of(const Program& program, std::int64_t activation_bytes = 4);

/// Whether an operator ends an exchange: the one of its two operators that the exchange is counted with.
bool ends_exchange(const Operator& op);

/// What a rank exchanges from the start of an exchange to the end that op is.
ExchangeCost exchange_cost(const Program& program, const Operator& op, std::int64_t rank,
                           const HostMap& hosts);

/// An exchange's algorithm (`auto` resolved), type on the wire and connection, as in "ring of float32 on
/// connection 0".
std::string exchange_text(const Program& program, const Operator& op);

}  // namespace convoy
