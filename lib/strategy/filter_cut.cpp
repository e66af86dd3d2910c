#include "strategy/filter_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "exchange/group.hpp"
#include "strategy/channel_tails.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/shared_norm.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// Puts the part of one rank together, operator by operator of the whole.
class KernelCut {
  public:
    KernelCut(const Program& whole, const KernelCounts& counts, std::int64_t rank,
              const SharingOptions& options)
        : whole_(whole),
          counts_(counts),
          rank_(rank),
          tails_(whole.operators),
          part_(whole),
          sharing_(whole, part_, rank, options) {
        part_.operators.clear();
        for (const auto& parameter : whole.parameters) hold_part(parameter);
        for (const auto& op : whole.operators) find_tail(op);
    }

    Program run() && {
        for (const auto& op : whole_.operators) add(op);
        if (rank_ != master_rank) part_.batch = 0;
        return std::move(part_);
    }

  private:
    void add(const Operator& op) {
        if (in_tail_.contains(&op)) return;  // stands beside its convolution
        switch (op.kind) {
            case Kind::conv2d:
                if (const auto* counts = counts_of(op.inputs.at(1))) return forward(op, *counts);
                break;
            case Kind::conv2d_backprop_filter:
                if (const auto weight = weight_of_gradient(op.outputs.at(0))) return backward(op, *weight);
                break;
            case Kind::conv2d_backprop_input:
                if (counts_of(op.inputs.at(0)) != nullptr) return;  // stands beside the kernels' gradient
                break;
            case Kind::square:
                if (counts_of(op.inputs.at(0)) == nullptr) break;
                weight_by_squares_[op.outputs.at(0)] = op.inputs.at(0);
                return;  // each rank squares its own kernels
            case Kind::sum:
                if (const auto found = weight_by_squares_.find(op.inputs.at(0));
                    found != weight_by_squares_.end())
                    return share_penalty(op, found->second);
                break;
            case Kind::global_norm: return share_norm(op);
            default: break;
        }
        if (op.pass == Pass::update && counts_.contains(op.name)) return update(op);
        if (is_of_cut_bias(op))
            throw InternalError(fmt::format("{} has a part of its bias, and is in no tail", op.name));
        if (rank_ == master_rank) part_.operators.push_back(op);
    }

    /// A bias is cut as the kernels are, so only operators of the tail may use it.
    [[nodiscard]] bool is_of_cut_bias(const Operator& op) const {
        if (op.kind == Kind::bias_add) return counts_of(op.inputs.at(1)) != nullptr;
        return op.kind == Kind::bias_add_grad && weight_of_gradient(op.outputs.at(0)).has_value();
    }

    /// What an update writes is of the own kernels, such as their gradient with the penalty's.
    void update(const Operator& op) {
        const auto parameter = cut_parameters_.at(op.name);
        for (const auto id : op.outputs) weight_by_gradient_[id] = parameter;
        if (!holds(op.name)) return;
        for (const auto id : op.outputs) part_.tensors.at(index(id)).shape = part_.tensor(parameter).shape;
        part_.operators.push_back(op);
    }

    /// The sum of squares of a weight, over the kernels of all ranks. The penalty itself is the master's.
    void share_penalty(const Operator& sum, TensorId weight) {
        const auto& name = whole_.tensor(weight).name;
        const auto own = holds(name) ? std::optional(weight) : std::nullopt;
        auto operators =
            shared_penalty(part_, name + ".squares", sum, own, consecutive_ranks(master_rank, ranks()))
                .operators;
        if (rank_ != master_rank) operators.pop_back();  // the copy of the sum
        std::ranges::move(operators, std::back_inserter(part_.operators));
    }

    /// Whether this rank has kernels of a cut parameter.
    [[nodiscard]] bool holds(const std::string& parameter) const {
        return counts_.at(parameter)[index_of(rank_)] > 0;
    }
    static std::size_t index_of(std::int64_t rank) { return static_cast<std::size_t>(rank); }
    [[nodiscard]] std::int64_t ranks() const {
        return counts_.empty() ? 1 : std::ssize(counts_.begin()->second);
    }

    void hold_part(const Parameter& parameter) {
        const auto found = counts_.find(whole_.tensor(parameter.value).name);
        if (found == counts_.end()) return;
        weight_by_gradient_[parameter.gradient] = parameter.value;
        cut_parameters_[found->first] = parameter.value;
        const auto part = kernels_of(found->second, rank_);
        if (part.count == 0) return;
        give_part(part_, parameter, slice_shape(part, whole_.tensor(parameter.value).shape));
    }
    /// Convolutions that several ranks share, and what stands beside them.
    void find_tail(const Operator& op) {
        const auto* counts = op.kind == Kind::conv2d ? counts_of(op.inputs.at(1)) : nullptr;
        if (counts == nullptr) return;
        SharedConvolution shared{.forward = &op, .tail = {}, .counts = *counts};
        if (shared.workers().empty()) return;
        shared.tail = tails_.of(op);
        in_tail_.insert(shared.tail.forward.begin(), shared.tail.forward.end());
        in_tail_.insert(shared.tail.backward.begin(), shared.tail.backward.end());
        shared_.emplace(op.inputs.at(1), std::move(shared));
    }
    [[nodiscard]] const std::vector<std::int64_t>* counts_of(TensorId weight) const {
        const auto found = counts_.find(whole_.tensor(weight).name);
        return found == counts_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::optional<TensorId> weight_of_gradient(TensorId gradient) const {
        const auto found = weight_by_gradient_.find(gradient);
        return found == weight_by_gradient_.end() ? std::nullopt : std::optional(found->second);
    }
    void forward(const Operator& op, const std::vector<std::int64_t>& counts) {
        if (counts[index_of(rank_)] == 0) return;
        const auto found = shared_.find(op.inputs.at(1));
        if (found == shared_.end()) return part_.operators.push_back(op);
        sharing_.forward(found->second);
    }

    void backward(const Operator& of_kernels, TensorId weight) {
        if ((*counts_of(weight))[index_of(rank_)] == 0) return;
        const auto* of_input = reader_of(whole_.operators, Kind::conv2d_backprop_input, weight);
        const auto found = shared_.find(weight);
        if (found != shared_.end()) return sharing_.backward(found->second, of_kernels, of_input);
        part_.operators.push_back(of_kernels);
        if (of_input != nullptr) part_.operators.push_back(*of_input);
    }

    /// Each rank adds the squares of its own gradients; the master also those of all other parameters.
    void share_norm(const Operator& norm) {
        if (ranks() == 1) return part_.operators.push_back(norm);
        std::vector<TensorId> own;
        for (const auto id : norm.inputs) {
            const auto weight = weight_of_gradient(id);
            const bool has = weight ? (*counts_of(*weight))[index_of(rank_)] > 0 : rank_ == master_rank;
            if (has) own.push_back(id);
        }
        std::ranges::move(shared_norm(part_, norm, std::move(own), consecutive_ranks(master_rank, ranks())),
                          std::back_inserter(part_.operators));
    }

    const Program& whole_;
    const KernelCounts& counts_;
    std::int64_t rank_;
    ChannelTails tails_;
    Program part_;
    ConvolutionSharing sharing_;
    std::map<TensorId, TensorId> weight_by_gradient_, weight_by_squares_;
    std::map<std::string, TensorId> cut_parameters_;  // by name
    std::map<TensorId, SharedConvolution> shared_;    // by weight
    std::set<const Operator*> in_tail_;
};

}  // namespace

TensorSlice kernels_of(std::span<const std::int64_t> counts, std::int64_t rank) {
    const auto own = counts.begin() + rank;
    return {.axis = 0, .first = std::accumulate(counts.begin(), own, std::int64_t{0}), .count = *own};
}

KernelCounts with_biases(KernelCounts counts, const Graph& training) {
    std::map<TensorId, TensorId> weight_by_result;
    for (const auto& op : training.operators) {
        if (op.kind == Kind::conv2d) weight_by_result[op.outputs.at(0)] = op.inputs.at(1);
        const auto weight =
            op.kind == Kind::bias_add ? weight_by_result.find(op.inputs.at(0)) : weight_by_result.end();
        if (weight == weight_by_result.end()) continue;
        const auto found = counts.find(training.tensor(weight->second).name);
        if (found != counts.end()) counts[training.tensor(op.inputs.at(1)).name] = found->second;
    }
    return counts;
}

Program part_of_kernels(const Program& whole, const KernelCounts& counts, std::int64_t rank,
                        const SharingOptions& options) {
    return KernelCut(whole, counts, rank, options).run();
}

}  // namespace convoy
