#include "strategy/synchronised_batch_norm.hpp"

#include <utility>
#include <vector>

#include "strategy/bucket_exchanges.hpp"

namespace convoy {
namespace {

/// The operators of one program, with its batch normalisations split.
class Split {
  public:
    Split(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
          std::span<const std::int64_t> examples)
        : program_(program), strategy_(strategy), cluster_(cluster), examples_(examples) {
        strategy_.wire_type = WireType::float32;  // what is summed goes into every result
    }

    void run() {
        for (auto& op : std::exchange(program_.operators, {})) {
            switch (op.kind) {
                case OperatorKind::batch_norm: split_forward(op); break;
                case OperatorKind::batch_norm_grad: split_backward(op); break;
                default: program_.operators.push_back(std::move(op)); break;
            }
        }
    }

  private:
    void split_forward(const Operator& norm) {
        const auto& in = norm.inputs;
        const auto mean = norm.outputs.at(1);
        const auto variance = norm.outputs.at(2);
        const auto channels = program_.tensor(mean).shape.elements();
        const auto shared = shared_attributes(norm);
        const auto moments = add_bucket(norm.name + ".moments", {program_.world_size, 2, channels});
        add(OperatorKind::batch_norm_moments, norm, {in.at(0)}, {moments.storage}, shared);
        sum(moments);
        add(OperatorKind::batch_norm_statistics, norm, {moments.storage, in.at(3), in.at(4)},
            {mean, variance}, shared);
        add(OperatorKind::batch_norm_apply, norm, {in.at(0), in.at(1), in.at(2), mean, variance},
            {norm.outputs.at(0)}, norm.attributes);
        stand_for(norm);
    }

    void split_backward(const Operator& grad) {
        const auto& in = grad.inputs;
        const auto channels = program_.tensor(in.at(2)).shape.elements();
        const auto sums = add_bucket(grad.name + ".gradient_sums", {2, channels});
        add(OperatorKind::batch_norm_grad_sums, grad, in,
            {grad.outputs.at(1), grad.outputs.at(2), sums.storage}, grad.attributes);
        sum(sums);
        auto read = in;
        read.push_back(sums.storage);
        add(OperatorKind::batch_norm_grad_apply, grad, std::move(read), {grad.outputs.at(0)},
            shared_attributes(grad));
        stand_for(grad);
    }

    [[nodiscard]] SharedBatchNormAttributes shared_attributes(const Operator& norm) const {
        const auto example = program_.tensor(norm.inputs.at(0)).shape.without_batch();
        SharedBatchNormAttributes shared{
            .norm = norm.as<BatchNormAttributes>(), .counts = {}, .rank = program_.rank};
        for (const auto examples : examples_)
            shared.counts.push_back(examples * (example.elements() / example[0]));
        return shared;
    }

    Bucket add_bucket(const std::string& name, const Shape& shape) {
        program_.tensors.push_back({name, shape, TensorRole::bucket, false});
        const auto storage = static_cast<TensorId>(program_.tensors.size() - 1);
        program_.buckets.push_back(
            {.storage = storage, .tensors = {}, .offsets = {}, .elements = shape.elements()});
        return program_.buckets.back();
    }

    void add(OperatorKind kind, const Operator& part_of, std::vector<TensorId> inputs,
             std::vector<TensorId> outputs, Attributes attributes) {
        program_.operators.push_back({kind,
                                      part_of.name,
                                      part_of.pass,
                                      std::move(inputs),
                                      std::move(outputs),
                                      std::move(attributes),
                                      {}});
    }

    void sum(const Bucket& bucket) {
        for (const auto kind : {OperatorKind::exchange_start, OperatorKind::exchange_wait})
            program_.operators.push_back(communicate(program_, kind, bucket, strategy_, cluster_));
    }

    /// The last operator is the one that tables show the whole normalisation in.
    void stand_for(const Operator& whole) { program_.operators.back().folded = {whole.kind}; }

    Program& program_;
    StrategySpec strategy_;
    const ClusterModel& cluster_;
    std::span<const std::int64_t> examples_;
};

}  // namespace

void synchronise_batch_norm(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
                            std::span<const std::int64_t> examples) {
    Split(program, strategy, cluster, examples).run();
}

}  // namespace convoy
