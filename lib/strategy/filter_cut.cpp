#include "strategy/filter_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "exchange/group.hpp"
#include "strategy/channel_tails.hpp"
#include "strategy/messages.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/shared_norm.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

constexpr std::int64_t master = 0;

/// Puts the part of one rank together, operator by operator of the whole.
class KernelCut {
  public:
    KernelCut(const Program& whole, const KernelCounts& counts, std::int64_t rank, std::int64_t segment_bytes)
        : whole_(whole),
          counts_(counts),
          rank_(rank),
          segment_bytes_(segment_bytes),
          tails_(whole.operators),
          part_(whole) {
        part_.operators.clear();
        for (const auto& parameter : whole.parameters) hold_part(parameter);
        for (const auto& op : whole.operators) find_tail(op);
    }

    Program run() && {
        for (const auto& op : whole_.operators) add(op);
        if (rank_ != master) part_.batch = 0;
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
            case Kind::global_norm: return share_norm(op);
            default: break;
        }
        const auto update = op.pass == Pass::update ? counts_.find(op.name) : counts_.end();
        const bool own = update == counts_.end() ? rank_ == master : update->second[index_of(rank_)] > 0;
        if (own) part_.operators.push_back(op);
    }

    static std::size_t index_of(std::int64_t rank) { return static_cast<std::size_t>(rank); }
    [[nodiscard]] std::int64_t ranks() const {
        return counts_.empty() ? 1 : std::ssize(counts_.begin()->second);
    }

    void hold_part(const Parameter& parameter) {
        const auto found = counts_.find(whole_.tensor(parameter.value).name);
        if (found == counts_.end()) return;
        weight_by_gradient_[parameter.gradient] = parameter.value;
        const auto part = kernels_of(found->second, rank_);
        if (part.count == 0) return;
        give_part(part_, parameter, slice_shape(part, whole_.tensor(parameter.value).shape));
    }
    /// The tail of a convolution that several ranks share.
    void find_tail(const Operator& op) {
        const auto* counts = op.kind == Kind::conv2d ? counts_of(op.inputs.at(1)) : nullptr;
        if (counts == nullptr || workers(*counts).empty()) return;
        const auto& tail = tail_by_weight_[op.inputs.at(1)] = tails_.of(op);
        in_tail_.insert(tail.forward.begin(), tail.forward.end());
        in_tail_.insert(tail.backward.begin(), tail.backward.end());
    }
    [[nodiscard]] const std::vector<std::int64_t>* counts_of(TensorId weight) const {
        const auto found = counts_.find(whole_.tensor(weight).name);
        return found == counts_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::optional<TensorId> weight_of_gradient(TensorId gradient) const {
        const auto found = weight_by_gradient_.find(gradient);
        return found == weight_by_gradient_.end() ? std::nullopt : std::optional(found->second);
    }
    /// The ranks beside the master that have kernels.
    static std::vector<std::int64_t> workers(const std::vector<std::int64_t>& counts) {
        std::vector<std::int64_t> found;
        for (std::int64_t rank = 1; rank < std::ssize(counts); ++rank)
            if (counts[index_of(rank)] > 0) found.push_back(rank);
        return found;
    }

    void forward(const Operator& op, const std::vector<std::int64_t>& counts) {
        if (counts[index_of(rank_)] == 0) return;
        const auto others = workers(counts);
        if (others.empty()) return part_.operators.push_back(op);
        const auto x = op.inputs.at(0);
        const auto& tail = tail_by_weight_.at(op.inputs.at(1));
        const auto y = tail.result;
        const auto run = [&] {
            compute(op, op.inputs, own_channels(op.outputs.at(0), counts));
            for (const auto* behind : tail.forward) compute_own(*behind, counts);
            return own_channels(y, counts);
        };
        const auto input = add_input_message(op.name + ".inputs", x);
        const auto exchange_input = [&](Kind kind) {
            exchange(kind, ExchangeVerb::pull, master, input, group_of(others));
        };
        if (rank_ != master) {
            exchange_input(Kind::exchange);
            copy(Kind::unpack, input.storage, x);
            const auto own = run();
            const auto message = add_message(part_, channel_message(y, ".results"), elements(own));
            copy(Kind::pack, own, message.storage);
            return exchange(Kind::exchange, ExchangeVerb::send, master, message);
        }
        copy(Kind::pack, x, input.storage);
        exchange_input(Kind::exchange_start);
        const auto result = add_message(part_, channel_message(y, ".results"), elements(y));
        for (const auto rank : others)
            exchange(Kind::exchange_start, ExchangeVerb::receive, rank, result, {},
                     channels(y, counts, rank));
        std::vector<TensorId> parts{run()};
        exchange_input(Kind::exchange_wait);
        for (const auto rank : others) {
            exchange(Kind::exchange_wait, ExchangeVerb::receive, rank, result, {}, channels(y, counts, rank));
            parts.push_back(add_channels(y, rank, counts));
            copy(Kind::unpack, result.storage, parts.back(), first_channel(y, counts, rank));
        }
        part_.operators.push_back({Kind::concat, op.name, Pass::forward, parts, {y}, {}, {}});
    }

    /// The gradient of the input first: the master sums it while ranks compute the gradient of their kernels.
    void backward(const Operator& of_kernels, TensorId weight) {
        const auto& counts = *counts_of(weight);
        if (counts[index_of(rank_)] == 0) return;
        const auto others = workers(counts);
        const auto* of_input = reader_of(whole_.operators, Kind::conv2d_backprop_input, weight);
        if (others.empty()) {
            part_.operators.push_back(of_kernels);
            if (of_input != nullptr) part_.operators.push_back(*of_input);
            return;
        }
        const auto& tail = tail_by_weight_.at(weight);
        const auto dy = tail.result_gradient;
        std::optional<Bucket> sent;
        {
            const auto own = own_channels(dy, counts);
            if (rank_ == master) {
                sent = send_channels(of_kernels.name, dy, counts, others);
                slice(of_kernels.name, dy, own, kernels_of(counts, master).first);
            } else {
                const auto message =
                    add_message(part_, channel_message(dy, ".result_gradients"), elements(own));
                exchange(Kind::exchange, ExchangeVerb::receive, master, message);
                copy(Kind::unpack, message.storage, own);
            }
        }
        for (const auto* behind : tail.backward)
            if (behind->kind != Kind::bias_add_grad) compute_own(*behind, counts);
        const auto own = own_channels(of_kernels.inputs.at(1), counts);
        std::optional<Bucket> sum;
        const auto exchange_sum = [&](Kind kind) {
            exchange(kind, ExchangeVerb::push, master, *sum, group_of(others));
        };
        if (of_input != nullptr) {
            const auto dx = of_input->outputs.at(0);
            const auto partial = add_like(dx, ".part");
            compute(*of_input, {weight, own}, partial);
            sum = add_input_message(of_kernels.name + ".input_gradients", dx);
            copy(Kind::pack, partial, sum->storage);
            exchange_sum(Kind::exchange_start);
        }
        compute(of_kernels, {of_kernels.inputs.at(0), own}, of_kernels.outputs.at(0));
        for (const auto* behind : tail.backward)
            if (behind->kind == Kind::bias_add_grad) compute_own(*behind, counts);
        if (sum) exchange_sum(Kind::exchange_wait);
        if (sum && rank_ == master) copy(Kind::unpack, sum->storage, of_input->outputs.at(0));
        if (!sent) return;
        for (const auto rank : others)
            exchange(Kind::exchange_wait, ExchangeVerb::send, rank, *sent, {}, channels(dy, counts, rank));
    }

    /// Sends each worker the gradient of its channels.
    Bucket send_channels(const std::string& name, TensorId dy, const std::vector<std::int64_t>& counts,
                         const std::vector<std::int64_t>& others) {
        auto message = add_message(part_, channel_message(dy, ".result_gradients"), elements(dy));
        for (const auto rank : others) {
            const auto part = add_channels(dy, rank, counts);
            slice(name, dy, part, kernels_of(counts, rank).first);
            copy(Kind::pack, part, message.storage, first_channel(dy, counts, rank));
            exchange(Kind::exchange_start, ExchangeVerb::send, rank, message, {}, channels(dy, counts, rank));
        }
        return message;
    }

    /// Each rank adds the squares of its own gradients; the master also those of all other parameters.
    void share_norm(const Operator& norm) {
        if (ranks() == 1) return part_.operators.push_back(norm);
        std::vector<TensorId> own;
        for (const auto id : norm.inputs) {
            const auto weight = weight_of_gradient(id);
            const bool has = weight ? (*counts_of(*weight))[index_of(rank_)] > 0 : rank_ == master;
            if (has) own.push_back(id);
        }
        std::ranges::move(shared_norm(part_, norm, std::move(own), consecutive_ranks(master, ranks())),
                          std::back_inserter(part_.operators));
    }

    static std::vector<std::int64_t> group_of(const std::vector<std::int64_t>& others) {
        std::vector<std::int64_t> group{master};
        group.insert(group.end(), others.begin(), others.end());
        return group;
    }
    [[nodiscard]] std::int64_t elements(TensorId id) const { return part_.tensor(id).shape.elements(); }
    /// Elements of one channel of all examples.
    [[nodiscard]] std::int64_t channel_elements(TensorId whole) const {
        const auto& shape = whole_.tensor(whole).shape;
        return shape.elements() / shape[1];
    }
    [[nodiscard]] std::int64_t first_channel(TensorId whole, const std::vector<std::int64_t>& counts,
                                             std::int64_t rank) const {
        return kernels_of(counts, rank).first * channel_elements(whole);
    }
    /// The place of a rank's channels in the master's message of all channels.
    [[nodiscard]] ElementRange channels(TensorId whole, const std::vector<std::int64_t>& counts,
                                        std::int64_t rank) const {
        return {static_cast<std::uint64_t>(first_channel(whole, counts, rank)),
                static_cast<std::uint64_t>(counts[index_of(rank)] * channel_elements(whole))};
    }

    /// A message has the size of its tensor in its name: programs for other batches have others.
    [[nodiscard]] std::string channel_message(TensorId whole, const char* what) const {
        return fmt::format("{}{}_of_{}", whole_.tensor(whole).name, what,
                           whole_.tensor(whole).shape.elements());
    }
    Bucket add_input_message(const std::string& name, TensorId like) {
        return add_message(part_, fmt::format("{}_of_{}", name, elements(like)), elements(like));
    }
    /// A rank's channels of a tensor.
    TensorId add_channels(TensorId whole, std::int64_t rank, const std::vector<std::int64_t>& counts) {
        auto tensor = whole_.tensor(whole);
        tensor.name += fmt::format(".channels_of_rank_{}", rank);
        const auto& shape = tensor.shape;
        tensor.shape = Shape{shape[0], counts[index_of(rank)], shape[2], shape[3]};
        return add_tensor(std::move(tensor));
    }
    /// The channels of this rank, the same tensor each time.
    TensorId own_channels(TensorId whole, const std::vector<std::int64_t>& counts) {
        const auto found = own_channels_.find(whole);
        if (found != own_channels_.end()) return found->second;
        return own_channels_[whole] = add_channels(whole, rank_, counts);
    }
    TensorId add_like(TensorId other, const char* suffix) {
        auto tensor = whole_.tensor(other);
        tensor.name += suffix;
        return add_tensor(std::move(tensor));
    }
    TensorId add_tensor(TensorInfo tensor) {
        part_.tensors.push_back(std::move(tensor));
        return static_cast<TensorId>(part_.tensors.size() - 1);
    }

    /// An operator of a tail on the channels of this rank. Its bias, and the bias's gradient, are parts
    /// already.
    void compute_own(Operator op, const std::vector<std::int64_t>& counts) {
        const auto own = [&](TensorId id) {
            return whole_.tensor(id).shape.rank() > 1 ? own_channels(id, counts) : id;
        };
        std::ranges::transform(op.inputs, op.inputs.begin(), own);
        std::ranges::transform(op.outputs, op.outputs.begin(), own);
        part_.operators.push_back(std::move(op));
    }

    void compute(const Operator& of, std::vector<TensorId> inputs, TensorId output) {
        part_.operators.push_back(
            {of.kind, of.name, of.pass, std::move(inputs), {output}, of.attributes, {}});
    }
    void slice(const std::string& name, TensorId from, TensorId to, std::int64_t first) {
        part_.operators.push_back(
            {Kind::slice, name, Pass::backward, {from}, {to}, SliceAttributes{first}, {}});
    }
    void copy(Kind kind, TensorId from, TensorId to, std::int64_t first = 0) {
        const auto& name = part_.tensor(kind == Kind::pack ? from : to).name;
        part_.operators.push_back(copy_message(kind, name, from, to, first));
    }
    void exchange(Kind kind, ExchangeVerb verb, std::int64_t root, const Bucket& message,
                  std::vector<std::int64_t> group = {}, std::optional<ElementRange> range = {}) {
        const Exchange exchange{.verb = verb,
                                .group = std::move(group),
                                .root = root,
                                .options = {.segment_bytes = segment_bytes_}};
        part_.operators.push_back(exchange_message(kind, part_.tensor(message.storage).name, message,
                                                   {.exchange = exchange, .range = range}));
    }

    const Program& whole_;
    const KernelCounts& counts_;
    std::int64_t rank_, segment_bytes_;
    ChannelTails tails_;
    Program part_;
    std::map<TensorId, TensorId> weight_by_gradient_;
    std::map<TensorId, ChannelTail> tail_by_weight_;
    std::set<const Operator*> in_tail_;
    std::map<TensorId, TensorId> own_channels_;
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
                        std::int64_t segment_bytes) {
    return KernelCut(whole, counts, rank, segment_bytes).run();
}

}  // namespace convoy
