#include "strategy/step_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "strategy/buckets.hpp"

namespace convoy {
namespace {

/// The buckets that an operator touches: it reads a parameter whose gradient lies in the bucket, or writes
/// into the bucket.
class TouchedBuckets {
  public:
    explicit TouchedBuckets(const Program& program) {
        const BucketParameters parameters(program);
        for (std::size_t i = 0; i < program.buckets.size(); ++i) {
            for (const auto id : program.buckets[i].tensors) by_gradient_[id] = i;
            for (const auto* parameter : parameters.of(program.buckets[i])) by_value_[parameter->value] = i;
        }
    }
    /// Positions in Program::buckets.
    [[nodiscard]] std::set<std::size_t> by(const Operator& op) const {
        std::set<std::size_t> touched;
        for (const auto id : op.inputs) find(by_value_, id, touched);
        for (const auto id : op.outputs) find(by_gradient_, id, touched);
        return touched;
    }

  private:
    static void find(const std::map<TensorId, std::size_t>& buckets, TensorId id,
                     std::set<std::size_t>& touched) {
        const auto found = buckets.find(id);
        if (found != buckets.end()) touched.insert(found->second);
    }
    std::map<TensorId, std::size_t> by_gradient_, by_value_;
};

}  // namespace

StepParts split_step(const Program& program) {
    const auto first_update = std::ranges::find(program.operators, Pass::update, &Operator::pass);
    return {{program.operators.begin(), first_update}, {first_update, program.operators.end()}};
}

bool needs_all_gradients(const Graph& training) {
    return std::ranges::find(training.operators, OperatorKind::global_norm, &Operator::kind) !=
           training.operators.end();
}

std::vector<Operator> behind_buckets(const Program& program, std::vector<Operator> compute,
                                     const std::function<std::vector<Operator>(const Bucket&)>& make) {
    std::map<TensorId, std::size_t> last_writer;  // of a gradient that adds up, the last one completes it
    for (std::size_t i = 0; i < compute.size(); ++i)
        for (const auto id : compute[i].outputs) last_writer[id] = i;
    std::map<std::size_t, std::vector<const Bucket*>> complete_behind;
    for (const auto& bucket : program.buckets) {
        if (!holds_gradients(bucket)) continue;
        std::size_t last = 0;
        for (const auto id : bucket.tensors) last = std::max(last, last_writer.at(id));
        complete_behind[last].push_back(&bucket);
    }
    std::vector<Operator> operators;
    for (std::size_t i = 0; i < compute.size(); ++i) {
        operators.push_back(std::move(compute[i]));
        const auto found = complete_behind.find(i);
        if (found == complete_behind.end()) continue;
        for (const auto* bucket : found->second)
            std::ranges::move(make(*bucket), std::back_inserter(operators));
    }
    return operators;
}

std::vector<Operator> before_first_use(const Program& program, std::vector<Operator> operators,
                                       const std::function<std::vector<Operator>(const Bucket&)>& complete) {
    const TouchedBuckets touched(program);
    std::vector<bool> done(program.buckets.size(), false);
    std::vector<Operator> result;
    for (auto& op : operators) {
        for (const auto i : touched.by(op)) {
            if (done[i]) continue;
            done[i] = true;
            std::ranges::move(complete(program.buckets[i]), std::back_inserter(result));
        }
        result.push_back(std::move(op));
    }
    return result;
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
                               : std::ranges::find_if(updates, [](const Operator& op) {
                                     return op.kind == OperatorKind::global_norm ||
                                            op.kind == OperatorKind::squared_norm;  // this rank's part of it
                                 });
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
