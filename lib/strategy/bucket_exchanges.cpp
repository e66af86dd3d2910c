#include "strategy/bucket_exchanges.hpp"

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// The algorithm of a sum over all ranks of a program. bytes: bytes on the wire.
AllReduceAlgorithm algorithm_of_sum(const StrategySpec& strategy, const ClusterModel& cluster,
                                    std::int64_t bytes, std::int64_t ranks) {
    const bool decided =
        strategy.algorithm != AllReduceAlgorithm::automatic || strategy.wire_type == WireType::top_k;
    return decided ? strategy.algorithm : algorithm_for(cluster, bytes, ranks);
}

/// The place of a bucket among those that take connections in turn. Messages do not count before gradients:
/// replicas may have unlike numbers of them.
std::int64_t turn_of(const Program& program, const Bucket& bucket) {
    const auto position = static_cast<std::ptrdiff_t>(bucket_position(program, bucket.storage));
    if (!holds_gradients(bucket)) return position;
    return std::count_if(program.buckets.begin(), program.buckets.begin() + position, holds_gradients);
}

}  // namespace

Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy, const ClusterModel& cluster, bool exact) {
    const auto turn = turn_of(program, bucket);
    std::int64_t element_bytes = strategy.wire_type == WireType::float32 ? bucket_element_bytes : 2;
    if (exact) element_bytes = sizeof(std::int64_t);
    std::vector<TensorId> operands{bucket.storage};
    if (strategy.wire_type == WireType::top_k) operands.push_back(residuals_of(program, bucket));
    const AllReduceOptions options{
        .algorithm = algorithm_of_sum(strategy, cluster, (Checked(bucket.elements) * element_bytes).value(),
                                      program.world_size),
        .segment_bytes = strategy.segment_bytes,
        .wire_type = strategy.wire_type,
        .top_k = strategy.top_k,
        .connection = turn % strategy.connections};
    return {kind,
            program.tensor(bucket.storage).name,
            Pass::communication,
            operands,
            operands,
            ExchangeAttributes{{.group = program.group, .options = options}, exact},
            {}};
}

void copy_scaled(const Program& program, std::vector<Operator>& operators,
                 std::span<const Parameter* const> parameters, TensorId Parameter::*from,
                 TensorId Parameter::*to, double factor) {
    for (const auto* parameter : parameters) {
        operators.push_back({OperatorKind::scale,
                             program.tensor(parameter->value).name,
                             Pass::communication,
                             {parameter->*from},
                             {parameter->*to},
                             ScaleAttributes{factor},
                             {}});
    }
}

}  // namespace convoy
