#include "strategy/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace convoy {
namespace {

constexpr std::int64_t alignment = 16;  // elements: 64 bytes, a cache line and a vector register

/// The gradients of parameters that ranks sum, in the order in which the program first writes them: that is
/// the same for any number of micro-batches.
std::vector<TensorId> gradients_in_order(const Program& program, const OwnTensors& own) {
    std::set<TensorId> summed;
    for (const auto& parameter : program.parameters)
        if (parameter.trained && !own.contains(parameter.gradient)) summed.insert(parameter.gradient);
    std::vector<TensorId> gradients;
    for (const auto& op : program.operators) {
        if (op.pass == Pass::update) continue;  // which may change a gradient in place
        for (const auto id : op.outputs)
            if (summed.erase(id) > 0) gradients.push_back(id);
    }
    return gradients;
}

/// Programs of one node with unlike numbers of messages have buckets of the same names.
void close_bucket(Program& program, Bucket bucket) {
    if (bucket.tensors.empty()) return;
    const auto before = std::ranges::count_if(program.buckets, holds_gradients);
    program.tensors.push_back(
        {fmt::format("bucket_{}", before), Shape{bucket.elements}, TensorRole::bucket, false});
    bucket.storage = static_cast<TensorId>(program.tensors.size() - 1);
    program.buckets.push_back(std::move(bucket));
}

/// Buckets for what is kept of each bucket's gradients.
void add_residual_buckets(Program& program) {
    std::map<TensorId, TensorId> residual_of;  // by gradient
    for (const auto& parameter : program.parameters)
        if (parameter.residual) residual_of[parameter.gradient] = *parameter.residual;
    if (residual_of.empty()) return;
    std::vector<Bucket> all;
    for (auto& gradients : program.buckets) {
        Bucket bucket{.storage = {}, .tensors = {}, .offsets = {}, .elements = 0, .residuals = true};
        for (const auto gradient : gradients.tensors) {
            append(bucket, program, residual_of.at(gradient));
        }
        program.tensors.push_back({program.tensor(gradients.storage).name + ".residuals",
                                   Shape{bucket.elements}, TensorRole::bucket, false});
        bucket.storage = static_cast<TensorId>(program.tensors.size() - 1);
        gradients.residuals_in = bucket.storage;
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
    const Checked elements = program.tensor(tensor).shape.elements();
    const auto aligned = (elements + (alignment - 1)).value() / alignment * alignment;
    bucket.elements = (Checked(bucket.elements) + aligned).value();
}

void plan_buckets(Program& program, const StrategySpec& strategy, const OwnTensors& own) {
    const auto bucket_bytes = least_bytes(strategy);
    Bucket open;
    for (const auto id : gradients_in_order(program, own)) {
        append(open, program, id);
        if (Checked(open.elements) * bucket_element_bytes >= bucket_bytes) {
            close_bucket(program, std::move(open));
            open = {};
        }
    }
    close_bucket(program, std::move(open));
    add_residual_buckets(program);
}

TensorId residuals_of(const Program& program, const Bucket& bucket) {
    if (bucket.residuals_in) return *bucket.residuals_in;
    throw InternalError(fmt::format("there are no residuals beside {}", program.tensor(bucket.storage).name));
}

BucketParameters::BucketParameters(const Program& program) : program_(program) {
    std::map<TensorId, TensorId> storage;  // by gradient
    for (const auto& bucket : program.buckets) {
        if (!holds_gradients(bucket)) continue;
        for (const auto id : bucket.tensors) storage[id] = bucket.storage;
    }
    for (const auto& parameter : program.parameters) {
        const auto found = storage.find(parameter.gradient);
        if (parameter.trained && found != storage.end()) by_storage_[found->second].push_back(&parameter);
    }
}

std::span<const Parameter* const> BucketParameters::of(const Bucket& bucket) const {
    const auto found = by_storage_.find(bucket.storage);
    return found == by_storage_.end() ? std::span<const Parameter* const>() : std::span(found->second);
}

std::map<std::string, TensorId> BucketParameters::storage_by_name() const {
    std::map<std::string, TensorId> storage;
    for (const auto& [bucket, parameters] : by_storage_)
        for (const auto* parameter : parameters) storage[program_.tensor(parameter->value).name] = bucket;
    return storage;
}

}  // namespace convoy
