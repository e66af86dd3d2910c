#include "strategy/buckets.hpp"

namespace convoy {
namespace {

constexpr std::int64_t alignment = 16;  // elements: 64 bytes, a cache line and a vector register

}  // namespace

void append(Bucket& bucket, const Program& program, TensorId tensor) {
    bucket.tensors.push_back(tensor);
    bucket.offsets.push_back(bucket.elements);
    const auto elements = program.tensor(tensor).shape.elements();
    bucket.elements += (elements + alignment - 1) / alignment * alignment;
}

Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy) {
    return {kind,
            program.tensor(bucket.storage).name,
            Pass::communication,
            {bucket.storage},
            {bucket.storage},
            CollectiveAttributes{{.algorithm = strategy.algorithm,
                                  .segment_bytes = strategy.segment_bytes,
                                  .wire_type = strategy.wire_type}},
            {}};
}

}  // namespace convoy
