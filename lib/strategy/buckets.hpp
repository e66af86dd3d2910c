#pragma once

#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

constexpr std::int64_t bucket_element_bytes = 4;

/// Puts a tensor at the end of a bucket, aligned to a cache line and a vector register.
void append(Bucket& bucket, const Program& program, TensorId tensor);

/// Starting a bucket's sum over all ranks, or waiting for it.
Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy);

}  // namespace convoy
