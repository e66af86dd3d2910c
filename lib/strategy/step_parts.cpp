#include "strategy/step_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// Whether an operator of the update is for a parameter whose gradient lies in the bucket; it has the
/// parameter's name.
bool belongs_to(const Program& program, const Bucket& bucket, const Operator& update) {
    return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
        return parameter.trained && program.tensor(parameter.value).name == update.name &&
               std::ranges::count(bucket.tensors, parameter.gradient) > 0;
    });
}

}  // namespace

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

}  // namespace convoy
