#include "strategy/step_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "strategy/buckets.hpp"

namespace convoy {

StepParts split_step(const Program& program) {
    const auto first_update = std::ranges::find(program.operators, Pass::update, &Operator::pass);
    return {{program.operators.begin(), first_update}, {first_update, program.operators.end()}};
}

std::vector<Operator> behind_buckets(const Program& program, std::vector<Operator> compute,
                                     const std::function<std::vector<Operator>(const Bucket&)>& make) {
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
            if (found != completes.end())
                std::ranges::move(make(*found->second), std::back_inserter(operators));
        }
    }
    return operators;
}

UpdatesByBucket::UpdatesByBucket(const Program& program, std::span<const Operator> updates) {
    // An operator of the update has the name of its parameter.
    const auto storage = BucketParameters(program).storage_by_name();
    for (const auto& update : updates) {
        const auto found = storage.find(update.name);
        auto& updates_there = found == storage.end() ? of_no_bucket_ : by_storage_[found->second];
        updates_there.push_back(update);
    }
}

std::vector<Operator> UpdatesByBucket::of(const Bucket& bucket) const {
    const auto found = by_storage_.find(bucket.storage);
    return found == by_storage_.end() ? std::vector<Operator>() : found->second;
}

std::vector<Operator> behind_sums(const Program& program, CommitPoint commit,
                                  const std::vector<Operator>& updates,
                                  const std::function<std::vector<Operator>(const Bucket&)>& complete) {
    const auto needs_all = commit == CommitPoint::by_step
                               ? updates.begin()
                               : std::ranges::find(updates, OperatorKind::global_norm, &Operator::kind);
    const UpdatesByBucket alone(program, {updates.begin(), needs_all});
    auto operators = alone.of_no_bucket();
    for (const auto& bucket : program.buckets) {
        if (!holds_gradients(bucket)) continue;
        std::ranges::move(complete(bucket), std::back_inserter(operators));
        std::ranges::move(alone.of(bucket), std::back_inserter(operators));
    }
    operators.insert(operators.end(), needs_all, updates.end());
    return operators;
}

}  // namespace convoy
