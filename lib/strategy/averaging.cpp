#include "strategy/averaging.hpp"

#include "strategy/bucket_exchanges.hpp"
#include "strategy/buckets.hpp"

namespace convoy {

Program averaging_program(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                          const Placement& placement, std::optional<double> part) {
    Program program{.kind = ProgramKind::average,
                    .rank = placement.rank,
                    .world_size = placement.world_size,
                    .group = placement.group,
                    .batch = 0,
                    .layout_batch = 0,
                    .tensors = {},
                    .operators = {},
                    .parameters = {},
                    .buckets = {}};
    Bucket bucket;
    for (const auto& parameter : training.parameters) {
        if (parameter.trained) continue;
        program.tensors.push_back(training.tensor(parameter.value));
        const auto id = static_cast<TensorId>(program.tensors.size() - 1);
        program.parameters.push_back(parameter);
        program.parameters.back().value = id;
        append(bucket, program, id);
    }
    program.tensors.push_back({"moving_statistics", Shape{bucket.elements}, TensorRole::bucket, false});
    bucket.storage = static_cast<TensorId>(program.tensors.size() - 1);
    program.buckets.push_back(bucket);
    auto unrounded = strategy;
    unrounded.wire_type = WireType::float32;  // what is summed is kept, and not only a step's gradients
    const auto scale = [&](double factor) {
        program.operators.push_back({OperatorKind::scale,
                                     "moving_statistics",
                                     Pass::communication,
                                     {bucket.storage},
                                     {bucket.storage},
                                     ScaleAttributes{factor},
                                     {}});
    };
    if (part) scale(*part);
    for (const auto kind : {OperatorKind::exchange_start, OperatorKind::exchange_wait})
        program.operators.push_back(communicate(program, kind, bucket, unrounded, cluster));
    if (!part) scale(1.0 / static_cast<double>(placement.world_size));
    return program;
}

}  // namespace convoy
