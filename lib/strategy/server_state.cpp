#include "strategy/server_state.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/fusion.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"
#include "strategy/step_parts.hpp"

namespace convoy {
namespace {

Operator copy(const std::string& name, TensorId from, TensorId to) {
    return {OperatorKind::scale, name, Pass::communication, {from}, {to}, ScaleAttributes{1.0}, {}};
}

/// The elements of both, which lie side by side.
ElementRange joined(const ElementRange& one, const ElementRange& other) {
    if (one.count == 0) return other;
    const auto first = std::min(one.first, other.first);
    return {first, std::max(one.first + one.count, other.first + other.count) - first};
}

}  // namespace

Program server_program(const NodePlanBuilder& plan) {
    auto program =
        instantiate(plan.input().training, ProgramKind::update, plan.placement(plan.largest_share()));
    plan_buckets(program, plan.strategy());
    program.operators = split_step(program).updates;
    fuse(program.operators, program.tensors);  // a server updates parts of tensors, and has no others between
    return program;
}

ServerState::ServerState(const NodePlanBuilder& plan, std::int64_t rank) : plan_(plan), rank_(rank) {
    auto program = server_program(plan);
    const ServerExchanges exchanges(program, plan.input());
    const SliceContent content(program);
    const BucketParameters parameters(program);
    for (const auto& bucket : program.buckets) {
        std::map<TensorId, std::int64_t> first;
        for (std::size_t i = 0; i < bucket.tensors.size(); ++i) first[bucket.tensors[i]] = bucket.offsets[i];
        for (const auto* parameter : parameters.of(bucket)) {
            const auto& name = program.tensor(parameter->value).name;
            Shared shared{.bucket = bucket.storage,
                          .first = static_cast<std::uint64_t>(first.at(parameter->gradient))};
            for (const auto& slice : exchanges.slices(bucket)) {
                const auto elements = content.elements_of(name, slice.range);
                if (elements.count == 0) continue;
                auto& of_server = shared.elements[exchanges.rank_of(slice)];
                of_server = joined(of_server, elements);
            }
            by_name_[name] = std::move(shared);
        }
    }
}

std::set<std::string> ServerState::updated() const {
    std::set<std::string> names;
    for (const auto& [name, shared] : by_name_)
        if (shared.elements.contains(rank_)) names.insert(name);
    return names;
}

std::optional<Program> ServerState::made_whole() const {
    auto program = server_program(plan_);
    ServerExchanges(program, plan_.input()).keep_buckets_of(program, rank_);
    program.kind = ProgramKind::average;
    program.operators.clear();
    for (const auto& parameter : program.parameters) {
        const auto found = by_name_.find(program.tensor(parameter.value).name);
        if (!parameter.trained || found == by_name_.end()) continue;
        const auto& elements = found->second.elements;
        if (elements.size() > 1 && elements.contains(rank_)) add_exchanges(program, parameter, found->second);
    }
    if (program.operators.empty()) return std::nullopt;
    return program;
}

void ServerState::add_exchanges(Program& program, const Parameter& parameter, const Shared& shared) const {
    std::vector<std::int64_t> servers;
    for (const auto& [server, range] : shared.elements) servers.push_back(server);
    std::vector<TensorId> state{parameter.value};
    state.insert(state.end(), parameter.slots.begin(), parameter.slots.end());
    for (const auto tensor : state) {
        const auto& name = program.tensor(tensor).name;
        program.operators.push_back(copy(name, tensor, parameter.gradient));
        for (const auto& [server, range] : shared.elements) {
            const Exchange exchange{.verb = ExchangeVerb::pull,
                                    .group = servers,
                                    .root = server,
                                    .options = {.segment_bytes = plan_.strategy().segment_bytes}};
            program.operators.push_back(
                {OperatorKind::exchange,
                 name,
                 Pass::communication,
                 {shared.bucket},
                 {shared.bucket},
                 ExchangeAttributes{.exchange = exchange,
                                    .range = ElementRange{shared.first + range.first, range.count}},
                 {}});
        }
        program.operators.push_back(copy(name, parameter.gradient, tensor));
    }
}

}  // namespace convoy
