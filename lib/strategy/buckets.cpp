#include "strategy/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace convoy {
namespace {

constexpr std::int64_t alignment = 16;  // elements: 64 bytes, a cache line and a vector register

/// The gradients in the order in which the program writes them.
std::vector<TensorId> gradients_in_order(const Program& program) {
    std::vector<TensorId> gradients;
    for (const auto& op : program.operators) {
        if (op.pass == Pass::update) continue;  // which may change a gradient in place
        for (const auto id : op.outputs) {
            if (program.tensor(id).role == TensorRole::gradient) gradients.push_back(id);
        }
    }
    return gradients;
}

void close_bucket(Program& program, Bucket bucket) {
    if (bucket.tensors.empty()) return;
    program.tensors.push_back({fmt::format("bucket_{}", program.buckets.size()), Shape{bucket.elements},
                               TensorRole::bucket, false});
    bucket.storage = static_cast<TensorId>(program.tensors.size() - 1);
    program.buckets.push_back(std::move(bucket));
}

std::string residuals_name(const std::string& bucket) {
    return bucket + ".residuals";
}

/// Buckets for what is kept of each bucket's gradients.
void add_residual_buckets(Program& program) {
    std::vector<Bucket> all;
    for (const auto& gradients : program.buckets) {
        Bucket bucket{.storage = {}, .tensors = {}, .offsets = {}, .elements = 0, .residuals = true};
        for (const auto gradient : gradients.tensors) {
            const auto owner = std::ranges::find(program.parameters, gradient, &Parameter::gradient);
            if (owner == program.parameters.end() || !owner->residual) return;
            append(bucket, program, *owner->residual);
        }
        program.tensors.push_back({residuals_name(program.tensor(gradients.storage).name),
                                   Shape{bucket.elements}, TensorRole::bucket, false});
        bucket.storage = static_cast<TensorId>(program.tensors.size() - 1);
        all.push_back(std::move(bucket));
    }
    std::ranges::move(all, std::back_inserter(program.buckets));
}

/// How much closes a bucket.
std::int64_t least_bytes(const StrategySpec& strategy) {
    switch (strategy.bucketing) {
        case Bucketing::by_size: return strategy.bucket_bytes;
        case Bucketing::per_tensor: return 0;
        case Bucketing::end_of_step: return std::numeric_limits<std::int64_t>::max();
    }
    throw InternalError("a bucketing without a case");
}

}  // namespace

void append(Bucket& bucket, const Program& program, TensorId tensor) {
    bucket.tensors.push_back(tensor);
    bucket.offsets.push_back(bucket.elements);
    const auto elements = program.tensor(tensor).shape.elements();
    bucket.elements += (elements + alignment - 1) / alignment * alignment;
}

void plan_buckets(Program& program, const StrategySpec& strategy) {
    const auto bucket_bytes = least_bytes(strategy);
    Bucket open;
    for (const auto id : gradients_in_order(program)) {
        append(open, program, id);
        if (open.elements * bucket_element_bytes >= bucket_bytes) {
            close_bucket(program, std::move(open));
            open = {};
        }
    }
    close_bucket(program, std::move(open));
    add_residual_buckets(program);
}

TensorId residuals_of(const Program& program, const Bucket& bucket) {
    const auto name = residuals_name(program.tensor(bucket.storage).name);
    for (const auto& other : program.buckets)
        if (program.tensor(other.storage).name == name) return other.storage;
    throw InternalError(fmt::format("there is no {}", name));
}

}  // namespace convoy
