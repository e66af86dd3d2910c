#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exchange/exchange_cost.hpp"
#include "graph/operator_cost.hpp"
#include "measure/records.hpp"
#include "program/program.hpp"

namespace convoy {

/// The cost of one run of an operator of the program, as operator_cost() counts it. activation_bytes: bytes
/// of one element of an activation, 4, or 2 if the compute type is bfloat16.
OperatorCost cost_of(const Program& program, const Operator& op, std::int64_t activation_bytes = 4);

/// The cost of one run of all operators of a program.
OperatorCost cost_of(const Program& program, std::int64_t activation_bytes = 4);

/// Whether an operator ends an exchange. An exchange has one operator, or a start and a wait; its cost is
/// counted once, at the operator that ends it.
bool ends_exchange(const Operator& op);

/// The number of elements that the exchange of an operator moves.
std::uint64_t exchanged_elements(const Program& program, const Operator& op);

/// The cost of one exchange on this rank. op: the operator that ends the exchange.
ExchangeCost exchange_cost(const Program& program, const Operator& op, std::int64_t rank,
                           const HostMap& hosts);

/// The name of a verb: "all_reduce", for instance.
std::string_view verb_name(ExchangeVerb verb);

/// How the exchange of an operator that starts it or waits for it is carried out; `auto` is resolved.
ExchangeWay exchange_way(const Program& program, const Operator& op);

/// An exchange as text: its algorithm (`auto` resolved), type on the wire and connection, for instance "ring
/// of float32 on connection 0". An exchange by another library has no connection: "mpi of float32".
std::string exchange_text(const Program& program, const Operator& op);

}  // namespace convoy
