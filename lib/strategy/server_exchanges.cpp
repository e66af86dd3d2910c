#include "strategy/server_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "exchange/group.hpp"
#include "strategy/bucket_exchanges.hpp"
#include "strategy/step_parts.hpp"

namespace convoy {
namespace {

/// A parameter's own norm needs its whole gradient on one server.
TensorCut cut_of(const ExperimentSpec& spec) {
    const bool by_norm = spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::norm;
    return by_norm ? TensorCut::nowhere : TensorCut::anywhere;
}

/// The bytes that the slowest link carries in half a millisecond, within bounds. On a slow link small slices
/// let pushes and pulls overlap, and the slices of many workers find room in the queue before it: at 20
/// Mbit/s, slices of 64 KiB of eight workers fill 500 KB, frames are lost, and a step takes 1.3 times as long
/// as with 16 KiB. On a fast link each slice costs more than it carries.
std::int64_t slice_bytes_by_links(const ClusterModel& cluster) {
    constexpr double fewest = 1 << 14, most = 1 << 19, seconds = 0.5e-3, bits_per_byte = 8.0;
    auto bytes = most;
    for (std::int64_t host = 0; host < std::ssize(cluster.hosts); ++host)
        if (const auto rate = link_bits_per_s(cluster, host))
            bytes = std::min(bytes, *rate / bits_per_byte * seconds);
    return static_cast<std::int64_t>(std::max(bytes, fewest));
}

/// A slice that no answer follows would only be one message more.
std::int64_t slice_bytes_of(const CompileInput& input) {
    if (!answers_by_slice(input)) return std::numeric_limits<std::int64_t>::max();
    return input.spec.strategy.slice_bytes.value_or(slice_bytes_by_links(input.cluster));
}

}  // namespace

bool answers_by_slice(const CompileInput& input) {
    const auto& strategy = input.spec.strategy;
    return !is_asynchronous(strategy) && strategy.commit == CommitPoint::by_bucket &&
           !needs_all_gradients(input.training);
}

ServerExchanges::ServerExchanges(const Program& program, const CompileInput& input) : input_(input) {
    const auto& strategy = input.spec.strategy;
    auto slices = server_slices(program.buckets, strategy.servers, slice_bytes_of(input), cut_of(input.spec));
    for (std::size_t i = 0; i < slices.size(); ++i)
        by_storage_[program.buckets[i].storage] = {static_cast<std::int64_t>(i),
                                                   program.tensor(program.buckets[i].storage).name,
                                                   std::move(slices[i])};
}

std::span<const ServerSlice> ServerExchanges::slices(const Bucket& bucket) const {
    return by_storage_.at(bucket.storage).slices;
}

std::int64_t ServerExchanges::rank_of(const ServerSlice& slice) const {
    return input_.spec.world_size() + slice.server;
}

std::vector<SliceOfBucket> ServerExchanges::of_server(const Program& program, std::int64_t rank) const {
    std::vector<SliceOfBucket> own;
    for (const auto& bucket : program.buckets) {
        for (const auto& slice : slices(bucket))
            if (rank_of(slice) == rank) own.push_back({bucket, slice});
    }
    return own;
}

void ServerExchanges::keep_buckets_of(Program& program, std::int64_t rank) const {
    std::erase_if(program.buckets, [&](const Bucket& bucket) {
        return std::ranges::none_of(slices(bucket),
                                    [&](const ServerSlice& slice) { return rank_of(slice) == rank; });
    });
}

Operator ServerExchanges::push(const Program& program, OperatorKind kind, const Bucket& bucket,
                               const ServerSlice& slice) const {
    return exchange(program, kind, bucket, slice, ExchangeVerb::push, input_.spec.strategy);
}

Operator ServerExchanges::pull(const Program& program, OperatorKind kind, const Bucket& bucket,
                               const ServerSlice& slice) const {
    return exchange(program, kind, bucket, slice, ExchangeVerb::pull, unrounded());
}

Operator ServerExchanges::message(const Program& program, OperatorKind kind, const SliceOfBucket& slice,
                                  ExchangeVerb verb, std::int64_t peer, bool gradients) const {
    auto op = exchange(program, kind, slice.bucket, slice.slice, verb,
                       gradients ? input_.spec.strategy : unrounded());
    auto& exchange = std::get<ExchangeAttributes>(op.attributes).exchange;
    exchange.root = peer;
    exchange.group.clear();
    return op;
}

StrategySpec ServerExchanges::unrounded() const {
    auto strategy = input_.spec.strategy;
    strategy.wire_type = WireType::float32;
    return strategy;
}

Operator ServerExchanges::exchange(const Program& program, OperatorKind kind, const Bucket& bucket,
                                   const ServerSlice& slice, ExchangeVerb verb,
                                   const StrategySpec& strategy) const {
    const auto& [position, name, all] = by_storage_.at(bucket.storage);
    auto op = communicate(program, kind, bucket, strategy, input_.cluster);
    op.name = name;
    if (all.size() > 1) op.name += fmt::format(".slice_{}", slice.index);
    auto& attributes = std::get<ExchangeAttributes>(op.attributes);
    auto& exchange = attributes.exchange;
    exchange.verb = verb;
    exchange.root = rank_of(slice);
    exchange.group = consecutive_ranks(0, input_.spec.world_size());
    exchange.group.insert(exchange.group.begin(), exchange.root);  // the server adds to its zeros
    exchange.options.algorithm = AllReduceAlgorithm::automatic;
    exchange.options.connection = position % strategy.connections;
    if (slice.range.count < static_cast<std::uint64_t>(bucket.elements)) attributes.range = slice.range;
    return op;
}

}  // namespace convoy
