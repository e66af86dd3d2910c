#include "strategy/ring_allreduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// The gradients in the order in which the program writes them.
std::vector<TensorId> gradients_in_order(const Program& program) {
    std::vector<TensorId> gradients;
    for (const auto& op : program.operators) {
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

/// How much closes a bucket.
std::int64_t least_bytes(const StrategySpec& strategy) {
    switch (strategy.bucketing) {
        case Bucketing::by_size: return strategy.bucket_bytes;
        case Bucketing::per_tensor: return 0;
        case Bucketing::end_of_step: return std::numeric_limits<std::int64_t>::max();
    }
    throw InternalError("a bucketing without a case");
}

void plan_buckets(Program& program, std::int64_t bucket_bytes) {
    Bucket open;
    for (const auto id : gradients_in_order(program)) {
        append(open, program, id);
        if (open.elements * bucket_element_bytes >= bucket_bytes) {
            close_bucket(program, std::move(open));
            open = {};
        }
    }
    close_bucket(program, std::move(open));
}

/// Forward and backward give way to zeros in every gradient.
void replace_compute_by_zeros(Program& program, std::vector<Operator>& compute) {
    std::erase_if(compute, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
    for (const auto& bucket : program.buckets) {
        for (const auto id : bucket.tensors) {
            compute.push_back(
                {OperatorKind::zeros_like, program.tensor(id).name, Pass::backward, {}, {id}, {}, {}});
        }
    }
}

/// Appends what the step computes, each bucket's sum started once its last gradient is written (or all at the
/// end).
void append_compute(std::vector<Operator>& out, const Program& program, std::vector<Operator> compute,
                    const StrategySpec& strategy) {
    std::map<TensorId, const Bucket*> completes;
    for (const auto& bucket : program.buckets) completes[bucket.tensors.back()] = &bucket;
    std::vector<Operator> at_end;
    for (auto& op : compute) {
        const auto outputs = op.outputs;
        out.push_back(std::move(op));
        for (const auto id : outputs) {
            const auto found = completes.find(id);
            if (found == completes.end()) continue;
            auto& target = strategy.overlap ? out : at_end;
            target.push_back(communicate(program, OperatorKind::all_reduce_start, *found->second, strategy));
        }
    }
    out.insert(out.end(), at_end.begin(), at_end.end());
}

/// Whether an operator of the update is for a parameter whose gradient lies in the bucket; it has the
/// parameter's name.
bool belongs_to(const Program& program, const Bucket& bucket, const Operator& update) {
    return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
        return parameter.trained && program.tensor(parameter.value).name == update.name &&
               std::ranges::count(bucket.tensors, parameter.gradient) > 0;
    });
}

}  // namespace

void insert_all_reduce(Program& program, const StrategySpec& strategy) {
    if (program.world_size == 1) return;
    plan_buckets(program, least_bytes(strategy));

    const auto first_update = std::ranges::find(program.operators, Pass::update, &Operator::pass);
    std::vector<Operator> compute(program.operators.begin(), first_update);
    const std::vector<Operator> updates(first_update, program.operators.end());
    if (program.batch == 0) replace_compute_by_zeros(program, compute);

    std::vector<Operator> operators;
    append_compute(operators, program, std::move(compute), strategy);
    for (const auto& bucket : program.buckets) {
        operators.push_back(communicate(program, OperatorKind::all_reduce_wait, bucket, strategy));
        for (const auto& update : updates) {
            if (belongs_to(program, bucket, update)) operators.push_back(update);
        }
    }
    program.operators = std::move(operators);
}

}  // namespace convoy
