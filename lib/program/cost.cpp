#include "program/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace convoy {
namespace {

template <typename Value, std::size_t count>
std::string_view name_in(const std::array<std::pair<std::string_view, Value>, count>& names, Value value) {
    return std::ranges::find(names, value, &std::pair<std::string_view, Value>::second)->first;
}

std::uint64_t exchanged_elements(const Program& program, const Operator& op) {
    return static_cast<std::uint64_t>(program.tensor(op.inputs.at(0)).shape.elements());
}

}  // namespace

OperatorCost cost_of(const Program& program, const Operator& op, std::int64_t activation_bytes) {
    return operator_cost(op, program.tensors, activation_bytes);
}

OperatorCost cost_of(const Program& program, std::int64_t activation_bytes) {
    OperatorCost sum;
    for (const auto& op : program.operators) sum += cost_of(program, op, activation_bytes);
    return sum;
}

bool ends_exchange(const Operator& op) {
    return op.kind == OperatorKind::all_reduce_wait;
}

ExchangeCost exchange_cost(const Program& program, const Operator& op, std::int64_t rank,
                           const HostMap& hosts) {
    const auto& collective = op.as<CollectiveAttributes>();
    return all_reduce_cost(collective.options, collective.exact, exchanged_elements(program, op), rank,
                           hosts);
}

std::string exchange_text(const Program& program, const Operator& op) {
    const auto& [options, exact] = op.as<CollectiveAttributes>();
    const auto algorithm =
        resolved_algorithm(options, exact, exchanged_elements(program, op), program.world_size);
    const bool gathers = options.wire_type == WireType::top_k && !exact;
    const auto wire = exact ? "int64" : name_in(wire_type_names, options.wire_type);
    return fmt::format("{}{} of {}{} on connection {}", name_in(all_reduce_algorithm_names, algorithm),
                       gathers ? " gathering" : "", wire,
                       gathers ? fmt::format(" {}", options.top_k.fraction) : "", options.connection);
}

}  // namespace convoy
