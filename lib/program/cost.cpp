#include "program/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace convoy {
namespace {

template <typename Value, std::size_t count>
std::string_view name_in(const std::array<std::pair<std::string_view, Value>, count>& names, Value value) {
    return std::ranges::find(names, value, &std::pair<std::string_view, Value>::second)->first;
}

std::string_view route_text(const Exchange& exchange) {
    return exchange.route == ExchangeRoute::chain ? " in a chain" : "";
}

/// The algorithm of a sum, or the verb and the peer of another exchange.
std::string way_text(const Exchange& exchange, bool exact, std::uint64_t elements, std::int64_t ranks) {
    switch (exchange.verb) {
        case ExchangeVerb::all_reduce:
            return std::string(name_in(gradient_algorithm_names,
                                       resolved_algorithm(exchange.options, exact, elements, ranks)));
        case ExchangeVerb::send: return fmt::format("send to rank {}", exchange.root);
        case ExchangeVerb::receive: return fmt::format("receive from rank {}", exchange.root);
        case ExchangeVerb::push: return fmt::format("push to rank {}{}", exchange.root, route_text(exchange));
        case ExchangeVerb::pull:
            return fmt::format("pull from rank {}{}", exchange.root, route_text(exchange));
        case ExchangeVerb::broadcast: return fmt::format("broadcast from rank {}", exchange.root);
        case ExchangeVerb::gather: return fmt::format("gather to rank {}", exchange.root);
    }
    return {};
}

}  // namespace

std::uint64_t exchanged_elements(const Program& program, const Operator& op) {
    if (const auto& range = op.as<ExchangeAttributes>().range) return range->count;
    return static_cast<std::uint64_t>(program.tensor(op.inputs.at(0)).shape.elements());
}

std::string_view verb_name(ExchangeVerb verb) {
    switch (verb) {
        case ExchangeVerb::all_reduce: return "all_reduce";
        case ExchangeVerb::send: return "send";
        case ExchangeVerb::receive: return "receive";
        case ExchangeVerb::push: return "push";
        case ExchangeVerb::pull: return "pull";
        case ExchangeVerb::broadcast: return "broadcast";
        case ExchangeVerb::gather: return "gather";
    }
    return {};
}

OperatorCost cost_of(const Program& program, const Operator& op, std::int64_t activation_bytes) {
    return operator_cost(op, program.tensors, activation_bytes);
}

OperatorCost cost_of(const Program& program, std::int64_t activation_bytes) {
    OperatorCost sum;
    for (const auto& op : program.operators) sum += cost_of(program, op, activation_bytes);
    return sum;
}

bool ends_exchange(const Operator& op) {
    return op.kind == OperatorKind::exchange_wait || op.kind == OperatorKind::exchange;
}

ExchangeCost exchange_cost(const Program& program, const Operator& op, std::int64_t rank,
                           const HostMap& hosts) {
    const auto& [exchange, exact, range] = op.as<ExchangeAttributes>();
    return exchange_cost(exchange, exact, exchanged_elements(program, op), rank, hosts);
}

ExchangeWay exchange_way(const Program& program, const Operator& op) {
    const auto& [exchange, exact, range] = op.as<ExchangeAttributes>();
    ExchangeWay way{
        .verb = std::string(verb_name(exchange.verb)),
        .algorithm = {},
        .wire_type = std::string(exact ? "int64" : name_in(wire_type_names, exchange.options.wire_type)),
        .ranks = exchange.group.empty() ? program.world_size : std::ssize(exchange.group)};
    if (exchange.verb == ExchangeVerb::all_reduce) {
        way.algorithm =
            name_in(gradient_algorithm_names,
                    resolved_algorithm(exchange.options, exact, exchanged_elements(program, op), way.ranks));
        return way;
    }
    way.peer = exchange.root;
    if (exchange.verb == ExchangeVerb::send || exchange.verb == ExchangeVerb::receive) way.ranks = 2;
    return way;
}

std::string exchange_text(const Program& program, const Operator& op) {
    const auto& [exchange, exact, range] = op.as<ExchangeAttributes>();
    const auto& options = exchange.options;
    const bool gathers = options.wire_type == WireType::top_k && !exact;
    const auto wire = exact ? "int64" : name_in(wire_type_names, options.wire_type);
    if (is_by_library(exchange))
        return fmt::format(
            "{} of {}", way_text(exchange, exact, exchanged_elements(program, op), program.world_size), wire);
    return fmt::format("{}{} of {}{} on connection {}",
                       way_text(exchange, exact, exchanged_elements(program, op), program.world_size),
                       gathers ? " gathering" : "", wire,
                       gathers ? fmt::format(" {}", options.top_k.fraction) : "", options.connection);
}

}  // namespace convoy
