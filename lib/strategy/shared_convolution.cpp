#include "strategy/shared_convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "strategy/filter_cut.hpp"
#include "strategy/pipeline_schedule.hpp"
#include "strategy/tensor_messages.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

}  // namespace

std::vector<std::int64_t> SharedConvolution::workers() const {
    std::vector<std::int64_t> found;
    for (std::int64_t rank = 1; rank < std::ssize(counts); ++rank)
        if (counts[static_cast<std::size_t>(rank)] > 0) found.push_back(rank);
    return found;
}

ConvolutionSharing::ConvolutionSharing(const Program& whole, Program& part, std::int64_t rank,
                                       SharingOptions options)
    : whole_(whole), part_(part), rank_(rank), options_(options), gradients_(part, "/of_sub_batch") {}

void ConvolutionSharing::forward(const SharedConvolution& shared) {
    if (rank_ == master_rank) {
        forward_master(shared);
    } else {
        forward_worker(shared);
    }
}

void ConvolutionSharing::backward(const SharedConvolution& shared, const Operator& of_kernels,
                                  const Operator* of_input) {
    if (rank_ == master_rank) {
        backward_master(shared, of_kernels, of_input);
    } else {
        backward_worker(shared, of_kernels, of_input);
    }
}

void ConvolutionSharing::forward_master(const SharedConvolution& shared) {
    const auto& op = *shared.forward;
    const auto x = op.inputs.at(0), y = shared.tail.result;
    const auto input = add_rows_message(x, op.name + ".inputs");
    copy(Kind::pack, x, input.storage);
    along_chain({Kind::exchange_start, ExchangeVerb::pull}, shared, input, x);
    const auto result = add_channel_message(shared, y, ".results");
    channels({Kind::exchange_start, ExchangeVerb::receive}, shared, result, y);
    compute(op, op.inputs, own(shared, op.outputs.at(0)));
    for (const auto* behind : shared.tail.forward) compute_own(shared, *behind);
    along_chain({Kind::exchange_wait, ExchangeVerb::pull}, shared, input, x);
    channels({Kind::exchange_wait, ExchangeVerb::receive}, shared, result, y);
    std::vector<TensorId> parts{own(shared, y)};
    for (const auto rank : shared.workers()) {
        parts.push_back(add_channels(shared, y, rank, whole_.tensor(y).shape[0], ""));
        copy(Kind::unpack, result.storage, parts.back(), block_of(shared, y, rank));
    }
    part_.operators.push_back({Kind::concat, op.name, Pass::forward, parts, {y}, {}, {}});
}

void ConvolutionSharing::forward_worker(const SharedConvolution& shared) {
    const auto& op = *shared.forward;
    const auto x = op.inputs.at(0), y = shared.tail.result;
    const auto input = add_rows_message(x, op.name + ".inputs");
    const auto result = add_channel_message(shared, y, ".results");
    along_chain({Kind::exchange_start, ExchangeVerb::pull}, shared, input, x);
    for (std::size_t i = 0; i < sub_batches(x); ++i) {
        along_chain({Kind::exchange_wait, ExchangeVerb::pull}, shared, input, x, i);
        copy(Kind::unpack, input.storage, rows(x, i), static_cast<std::int64_t>(in_rows(x, i).first));
        compute(op, {rows(x, i), op.inputs.at(1)}, own(shared, op.outputs.at(0), i));
        for (const auto* behind : shared.tail.forward) compute_own(shared, *behind, i);
        const auto place = in_block(shared, y, rank_, i);
        copy(Kind::pack, own(shared, y, i), result.storage, static_cast<std::int64_t>(place.first));
        channels({Kind::exchange_start, ExchangeVerb::send}, shared, result, y, rank_, i);
    }
    channels({Kind::exchange_wait, ExchangeVerb::send}, shared, result, y);
}

/// The gradient of the input first: its sum travels while ranks compute the gradients of their kernels.
void ConvolutionSharing::backward_master(const SharedConvolution& shared, const Operator& of_kernels,
                                         const Operator* of_input) {
    const auto dy = shared.tail.result_gradient;
    const auto slice = [&](TensorId to, std::int64_t rank) {
        const SliceAttributes from{kernels_of(shared.counts, rank).first};
        part_.operators.push_back({Kind::slice, of_kernels.name, Pass::backward, {dy}, {to}, from, {}});
    };
    const auto sent = add_channel_message(shared, dy, ".result_gradients");
    for (const auto rank : shared.workers()) {
        const auto part = add_channels(shared, dy, rank, whole_.tensor(dy).shape[0], "");
        slice(part, rank);
        copy(Kind::pack, part, sent.storage, block_of(shared, dy, rank));
    }
    channels({Kind::exchange_start, ExchangeVerb::send}, shared, sent, dy);
    slice(own(shared, dy), master_rank);
    tail_gradients(shared, 0);
    const auto dc = own(shared, of_kernels.inputs.at(1));
    std::optional<Bucket> sum;
    if (of_input != nullptr) {
        const auto dx = of_input->outputs.at(0);
        auto partial = whole_.tensor(dx);
        partial.name += ".part";
        const auto own_part = add_tensor(std::move(partial));
        compute(*of_input, {of_input->inputs.at(0), dc}, own_part);
        sum = add_rows_message(dx, of_kernels.name + ".input_gradients");
        copy(Kind::pack, own_part, sum->storage);
        along_chain({Kind::exchange_start, ExchangeVerb::push}, shared, *sum, dx);
    }
    compute(of_kernels, {of_kernels.inputs.at(0), dc}, of_kernels.outputs.at(0));
    bias_gradients(shared, 0);
    if (sum) {
        const auto dx = of_input->outputs.at(0);
        along_chain({Kind::exchange_wait, ExchangeVerb::push}, shared, *sum, dx);
        copy(Kind::unpack, sum->storage, dx);
    }
    channels({Kind::exchange_wait, ExchangeVerb::send}, shared, sent, dy);
}

void ConvolutionSharing::backward_worker(const SharedConvolution& shared, const Operator& of_kernels,
                                         const Operator* of_input) {
    const auto x = of_kernels.inputs.at(0), dy = shared.tail.result_gradient;
    const auto count = sub_batches(x);
    const auto received = add_channel_message(shared, dy, ".result_gradients");
    channels({Kind::exchange_start, ExchangeVerb::receive}, shared, received, dy);
    std::optional<Bucket> sum;
    if (of_input != nullptr)
        sum = add_rows_message(of_input->outputs.at(0), of_kernels.name + ".input_gradients");
    for (std::size_t i = 0; i < count; ++i) {
        channels({Kind::exchange_wait, ExchangeVerb::receive}, shared, received, dy, rank_, i);
        const auto place = in_block(shared, dy, rank_, i);
        copy(Kind::unpack, received.storage, own(shared, dy, i), static_cast<std::int64_t>(place.first));
        tail_gradients(shared, i);
        const auto dc = own(shared, of_kernels.inputs.at(1), i);
        if (sum) {
            const auto dx = of_input->outputs.at(0);
            compute(*of_input, {of_input->inputs.at(0), dc}, rows(dx, i));
            copy(Kind::pack, rows(dx, i), sum->storage, static_cast<std::int64_t>(in_rows(dx, i).first));
            along_chain({Kind::exchange_start, ExchangeVerb::push}, shared, *sum, dx, i);
        }
        auto own_kernels = of_kernels;
        own_kernels.inputs = {rows(x, i), dc};
        gradients_.append(std::move(own_kernels), static_cast<std::int64_t>(i));
        bias_gradients(shared, i);
    }
    if (sum) along_chain({Kind::exchange_wait, ExchangeVerb::push}, shared, *sum, of_input->outputs.at(0));
}

std::size_t ConvolutionSharing::sub_batches(TensorId whole) const {
    return micro_batch_sizes(whole_.tensor(whole).shape[0], options_.sub_batches).size();
}

ConvolutionSharing::Rows ConvolutionSharing::rows_of(TensorId whole, std::size_t sub_batch) const {
    const auto sizes = micro_batch_sizes(whole_.tensor(whole).shape[0], options_.sub_batches);
    const auto own = sizes.begin() + static_cast<std::ptrdiff_t>(sub_batch);
    return {.first = std::accumulate(sizes.begin(), own, std::int64_t{0}), .count = *own};
}

std::int64_t ConvolutionSharing::channel_elements(TensorId whole) const {
    const auto& shape = whole_.tensor(whole).shape;
    return shape[2] * shape[3];
}

std::int64_t ConvolutionSharing::block_of(const SharedConvolution& shared, TensorId whole,
                                          std::int64_t rank) const {
    if (rank_ != master_rank) return 0;
    return kernels_of(shared.counts, rank).first * channel_elements(whole) * whole_.tensor(whole).shape[0];
}

ElementRange ConvolutionSharing::in_block(const SharedConvolution& shared, TensorId whole, std::int64_t rank,
                                          std::size_t sub_batch) const {
    const auto row = kernels_of(shared.counts, rank).count * channel_elements(whole);
    const auto [first, count] = rows_of(whole, sub_batch);
    return {static_cast<std::uint64_t>(block_of(shared, whole, rank) + first * row),
            static_cast<std::uint64_t>(count * row)};
}

ElementRange ConvolutionSharing::in_rows(TensorId whole, std::size_t sub_batch) const {
    const auto row = whole_.tensor(whole).shape[1] * channel_elements(whole);
    const auto [first, count] = rows_of(whole, sub_batch);
    return {static_cast<std::uint64_t>(first * row), static_cast<std::uint64_t>(count * row)};
}

/// A message has the size of its tensor in its name: programs for other batches have others.
Bucket ConvolutionSharing::add_rows_message(TensorId whole, const std::string& name) {
    const auto elements = whole_.tensor(whole).shape.elements();
    return add_message(part_, fmt::format("{}_of_{}", name, elements), elements);
}

Bucket ConvolutionSharing::add_channel_message(const SharedConvolution& shared, TensorId whole,
                                               const std::string& name) {
    const auto tensor = whole_.tensor(whole);
    const auto kernels = rank_ == master_rank ? tensor.shape[1] : kernels_of(shared.counts, rank_).count;
    return add_message(part_, fmt::format("{}{}_of_{}", tensor.name, name, tensor.shape.elements()),
                       tensor.shape[0] * kernels * channel_elements(whole));
}

TensorId ConvolutionSharing::add_channels(const SharedConvolution& shared, TensorId whole, std::int64_t rank,
                                          std::int64_t rows, const std::string& suffix) {
    auto tensor = whole_.tensor(whole);
    tensor.name += fmt::format(".channels_of_rank_{}{}", rank, suffix);
    tensor.shape = Shape{rows, kernels_of(shared.counts, rank).count, tensor.shape[2], tensor.shape[3]};
    return add_tensor(std::move(tensor));
}

TensorId ConvolutionSharing::own(const SharedConvolution& shared, TensorId whole, std::size_t sub_batch) {
    const auto [found, is_new] = own_.try_emplace({whole, sub_batch});
    if (!is_new) return found->second;
    const bool cut = rank_ != master_rank && sub_batches(whole) > 1;
    const auto count = rank_ == master_rank ? whole_.tensor(whole).shape[0] : rows_of(whole, sub_batch).count;
    return found->second = add_channels(shared, whole, rank_, count,
                                        cut ? fmt::format(".sub_batch_{}", sub_batch + 1) : "");
}

TensorId ConvolutionSharing::rows(TensorId whole, std::size_t sub_batch) {
    const auto [found, is_new] = rows_.try_emplace({whole, sub_batch});
    if (!is_new) return found->second;
    auto tensor = whole_.tensor(whole);
    const auto& shape = tensor.shape;
    tensor.name += fmt::format(".sub_batch_{}", sub_batch + 1);
    tensor.shape = Shape{rows_of(whole, sub_batch).count, shape[1], shape[2], shape[3]};
    return found->second = add_tensor(std::move(tensor));
}

TensorId ConvolutionSharing::add_tensor(TensorInfo tensor) {
    part_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(part_.tensors.size() - 1);
}

void ConvolutionSharing::compute_own(const SharedConvolution& shared, const Operator& op,
                                     std::size_t sub_batch) {
    auto own_op = op;
    for (auto* ids : {&own_op.inputs, &own_op.outputs}) {
        for (auto& id : *ids)
            if (whole_.tensor(id).shape.rank() > 1) id = own(shared, id, sub_batch);
    }
    gradients_.append(std::move(own_op), static_cast<std::int64_t>(sub_batch));
}

void ConvolutionSharing::tail_gradients(const SharedConvolution& shared, std::size_t sub_batch) {
    for (const auto* behind : shared.tail.backward)
        if (behind->kind != Kind::bias_add_grad) compute_own(shared, *behind, sub_batch);
}

/// Behind the gradient of the kernels, so that both are fused.
void ConvolutionSharing::bias_gradients(const SharedConvolution& shared, std::size_t sub_batch) {
    for (const auto* behind : shared.tail.backward)
        if (behind->kind == Kind::bias_add_grad) compute_own(shared, *behind, sub_batch);
}

void ConvolutionSharing::compute(const Operator& of, std::vector<TensorId> inputs, TensorId output) {
    part_.operators.push_back({of.kind, of.name, of.pass, std::move(inputs), {output}, of.attributes, {}});
}

void ConvolutionSharing::copy(OperatorKind kind, TensorId from, TensorId to, std::int64_t first) {
    const auto& name = part_.tensor(kind == Kind::pack ? from : to).name;
    part_.operators.push_back(copy_message(kind, name, from, to, first));
}

void ConvolutionSharing::along_chain(Way way, const SharedConvolution& shared, const Bucket& message,
                                     TensorId whole, std::size_t sub_batch) {
    std::vector<std::int64_t> group{master_rank};
    std::ranges::copy(shared.workers(), std::back_inserter(group));
    exchange(way, message, std::move(group), master_rank, in_rows(whole, sub_batch),
             sub_batches(whole) > 1 ? fmt::format(".sub_batch_{}", sub_batch + 1) : "");
}

void ConvolutionSharing::along_chain(Way way, const SharedConvolution& shared, const Bucket& message,
                                     TensorId whole) {
    for (std::size_t i = 0; i < sub_batches(whole); ++i) along_chain(way, shared, message, whole, i);
}

void ConvolutionSharing::channels(Way way, const SharedConvolution& shared, const Bucket& message,
                                  TensorId whole, std::int64_t worker, std::size_t sub_batch) {
    exchange(way, message, {}, rank_ == master_rank ? worker : master_rank,
             in_block(shared, whole, worker, sub_batch),
             sub_batches(whole) > 1 ? fmt::format(".sub_batch_{}", sub_batch + 1) : "");
}

void ConvolutionSharing::channels(Way way, const SharedConvolution& shared, const Bucket& message,
                                  TensorId whole) {
    const auto workers = rank_ == master_rank ? shared.workers() : std::vector{rank_};
    for (std::size_t i = 0; i < sub_batches(whole); ++i)
        for (const auto worker : workers) channels(way, shared, message, whole, worker, i);
}

void ConvolutionSharing::exchange(Way way, const Bucket& message, std::vector<std::int64_t> group,
                                  std::int64_t root, ElementRange range, const std::string& suffix) {
    const Exchange exchange{.verb = way.second,
                            .group = std::move(group),
                            .root = root,
                            .route = ExchangeRoute::chain,
                            .options = {.segment_bytes = options_.segment_bytes}};
    part_.operators.push_back(exchange_message(way.first, part_.tensor(message.storage).name + suffix,
                                               message, {.exchange = exchange, .range = range}));
}

}  // namespace convoy
