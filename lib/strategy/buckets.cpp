#include "strategy/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

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

/// The storage of what is kept of a bucket's gradients.
TensorId residuals_of(const Program& program, const Bucket& bucket) {
    const auto name = residuals_name(program.tensor(bucket.storage).name);
    for (const auto& other : program.buckets)
        if (program.tensor(other.storage).name == name) return other.storage;
    throw InternalError(fmt::format("there is no {}", name));
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

/// Whether an operator of the update is for a parameter whose gradient lies in the bucket; it has the
/// parameter's name.
bool belongs_to(const Program& program, const Bucket& bucket, const Operator& update) {
    return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
        return parameter.trained && program.tensor(parameter.value).name == update.name &&
               std::ranges::count(bucket.tensors, parameter.gradient) > 0;
    });
}

/// The algorithm of a sum over all ranks of a program. bytes: bytes on the wire.
AllReduceAlgorithm algorithm_of_sum(const StrategySpec& strategy, const ClusterModel& cluster,
                                    std::int64_t bytes, std::int64_t ranks) {
    const bool decided =
        strategy.algorithm != AllReduceAlgorithm::automatic || strategy.wire_type == WireType::top_k;
    return decided ? strategy.algorithm : algorithm_for(cluster, bytes, ranks);
}

}  // namespace

void append(Bucket& bucket, const Program& program, TensorId tensor) {
    bucket.tensors.push_back(tensor);
    bucket.offsets.push_back(bucket.elements);
    const auto elements = program.tensor(tensor).shape.elements();
    bucket.elements += (elements + alignment - 1) / alignment * alignment;
}

Operator communicate(const Program& program, OperatorKind kind, const Bucket& bucket,
                     const StrategySpec& strategy, const ClusterModel& cluster, bool exact) {
    const auto position =
        std::ranges::find(program.buckets, bucket.storage, &Bucket::storage) - program.buckets.begin();
    std::int64_t element_bytes = strategy.wire_type == WireType::float32 ? bucket_element_bytes : 2;
    if (exact) element_bytes = sizeof(std::int64_t);
    std::vector<TensorId> operands{bucket.storage};
    if (strategy.wire_type == WireType::top_k) operands.push_back(residuals_of(program, bucket));
    const AllReduceOptions options{
        .algorithm = algorithm_of_sum(strategy, cluster, bucket.elements * element_bytes, program.world_size),
        .segment_bytes = strategy.segment_bytes,
        .wire_type = strategy.wire_type,
        .top_k = strategy.top_k,
        .connection = position % strategy.connections};
    return {kind,
            program.tensor(bucket.storage).name,
            Pass::communication,
            operands,
            operands,
            ExchangeAttributes{{.group = program.group, .options = options}, exact},
            {}};
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

StepParts split_step(const Program& program) {
    const auto first_update = std::ranges::find(program.operators, Pass::update, &Operator::pass);
    return {{program.operators.begin(), first_update}, {first_update, program.operators.end()}};
}

std::vector<Operator> behind_buckets(const Program& program, std::vector<Operator> compute,
                                     const std::function<Operator(const Bucket&)>& make) {
    std::map<TensorId, const Bucket*> completes;
    for (const auto& bucket : program.buckets) {
        if (holds_gradients(bucket)) completes[bucket.tensors.back()] = &bucket;
    }
    std::vector<Operator> operators;
    for (auto& op : compute) {
        const auto outputs = op.outputs;
        operators.push_back(std::move(op));
        for (const auto id : outputs) {
            const auto found = completes.find(id);
            if (found != completes.end()) operators.push_back(make(*found->second));
        }
    }
    return operators;
}

std::vector<Operator> updates_of(const Program& program, const Bucket& bucket,
                                 std::span<const Operator> updates) {
    std::vector<Operator> own;
    std::ranges::copy_if(updates, std::back_inserter(own),
                         [&](const Operator& update) { return belongs_to(program, bucket, update); });
    return own;
}

std::vector<Operator> behind_sums(const Program& program, CommitPoint commit,
                                  const std::vector<Operator>& updates,
                                  const std::function<std::vector<Operator>(const Bucket&)>& complete) {
    const auto needs_all = commit == CommitPoint::by_step
                               ? updates.begin()
                               : std::ranges::find(updates, OperatorKind::global_norm, &Operator::kind);
    std::vector<Operator> operators;
    for (const auto& bucket : program.buckets) {
        if (!holds_gradients(bucket)) continue;
        std::ranges::move(complete(bucket), std::back_inserter(operators));
        std::ranges::move(updates_of(program, bucket, {updates.begin(), needs_all}),
                          std::back_inserter(operators));
    }
    operators.insert(operators.end(), needs_all, updates.end());
    return operators;
}

void copy_scaled(const Program& program, std::vector<Operator>& operators, const Bucket& bucket,
                 TensorId Parameter::*from, TensorId Parameter::*to, double factor) {
    for (const auto& parameter : program.parameters) {
        if (!parameter.trained || std::ranges::count(bucket.tensors, parameter.gradient) == 0) continue;
        operators.push_back({OperatorKind::scale,
                             program.tensor(parameter.value).name,
                             Pass::communication,
                             {parameter.*from},
                             {parameter.*to},
                             ScaleAttributes{factor},
                             {}});
    }
}

std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute) {
    std::vector<Operator> operators;
    for (auto& op : compute) {
        if (op.kind == OperatorKind::dataset || op.pass == Pass::communication ||
            op.kind == OperatorKind::batch_norm_statistics) {
            operators.push_back(std::move(op));
            continue;
        }
        for (const auto id : op.outputs) {
            const auto& tensor = program.tensor(id);
            if (tensor.role != TensorRole::gradient && tensor.role != TensorRole::bucket) continue;
            operators.push_back({OperatorKind::zeros_like, tensor.name, Pass::backward, {}, {id}, {}, {}});
        }
    }
    return operators;
}

void keep_dataset_only(Program& program) {
    std::erase_if(program.operators, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
}

}  // namespace convoy
