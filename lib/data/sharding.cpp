#include "data/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "base/error.hpp"
#include "data/parts.hpp"

namespace convoy {

void shuffle(std::span<std::uint32_t> items, const RandomStream& random, std::uint32_t first) {
    for (std::size_t left = items.size(); left > 1; --left) {
        const auto place = first + static_cast<std::uint32_t>(left - 1);
        std::swap(items[left - 1], items[random.below(static_cast<std::uint32_t>(left), place, 0)]);
    }
}

std::vector<std::uint32_t> epoch_order(std::int64_t first, std::int64_t count, bool shuffled,
                                       std::uint64_t seed, std::uint32_t epoch) {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(first));
    if (!shuffled) return order;
    shuffle(order, RandomStream(seed, RandomPurpose::shuffle, 0, epoch), static_cast<std::uint32_t>(first));
    return order;
}

std::vector<std::int64_t> divide_units(std::int64_t units, std::span<const double> weights) {
    std::vector<std::int64_t> taken(weights.size(), 0);
    // The time of each replica with one unit more; of equal times the first replica.
    using Next = std::pair<double, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    const bool enough = units >= std::ssize(weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (enough) taken[i] = 1;
        next.emplace(static_cast<double>(taken[i] + 1) / weights[i], i);
    }
    for (auto left = enough ? units - std::ssize(weights) : units; left > 0; --left) {
        const auto i = next.top().second;
        next.pop();
        ++taken[i];
        next.emplace(static_cast<double>(taken[i] + 1) / weights[i], i);
    }
    return taken;
}

std::vector<std::int64_t> one_replica_each(std::int64_t ranks) {
    std::vector<std::int64_t> replicas(static_cast<std::size_t>(ranks));
    std::iota(replicas.begin(), replicas.end(), std::int64_t{0});
    return replicas;
}

namespace {

std::int64_t replicas_of(const ShardingRequest& request) {
    const auto named = request.replica_of_rank.empty() ? 0 : std::ranges::max(request.replica_of_rank) + 1;
    if (request.replicas == 0) return named;
    if (named > request.replicas)
        throw InternalError(fmt::format("replica {} of {}", named - 1, request.replicas));
    return request.replicas;
}

}  // namespace

EpochPlan::EpochPlan(const ShardingRequest& request) : request_(request), replicas_(replicas_of(request)) {
    if (request.batch_size < 1)
        throw DataError(fmt::format("batch_size: {} is not at least 1", request.batch_size));
    if (request.unit < 1)
        throw DataError(fmt::format("micro_batch_size: {} is not at least 1", request.unit));
    if (replicas_ < 1) throw DataError("nodes: no node takes examples");
    if (request.examples < 1 || request.examples > std::numeric_limits<std::uint32_t>::max()) {
        throw DataError(fmt::format("dataset: {} examples cannot be dealt out", request.examples));
    }
    if (!request.weights.empty() && std::ssize(request.weights) != replicas_)
        throw InternalError(fmt::format("{} weights of {} replicas", request.weights.size(), replicas_));
    whole_batch_ = borders_of(request.batch_size);
    rest_ = borders_of(request.examples % request.batch_size);
}

std::int64_t EpochPlan::steps_per_epoch() const {
    return request_.examples / request_.batch_size + (request_.examples % request_.batch_size != 0 ? 1 : 0);
}

std::int64_t EpochPlan::batch_examples(std::int64_t step) const {
    if (step < 0 || step >= steps_per_epoch()) {
        throw InternalError(fmt::format("step {} of an epoch of {}", step, steps_per_epoch()));
    }
    return std::min(request_.batch_size, request_.examples - step * request_.batch_size);
}

std::int64_t EpochPlan::taken_examples(std::int64_t step) const {
    const auto total = batch_examples(step);
    auto taken = total;
    for (std::int64_t replica = 0; request_.replicas > 0 && replica < replicas_; ++replica)
        if (std::ranges::count(request_.replica_of_rank, replica) == 0) taken -= part_of(replica, total);
    return taken;
}

std::int64_t EpochPlan::replica_of(std::int64_t rank) const {
    if (rank < 0 || rank >= ranks()) throw InternalError(fmt::format("rank {} of {} nodes", rank, ranks()));
    return request_.replica_of_rank[static_cast<std::size_t>(rank)];
}

bool EpochPlan::alone_in_replica(std::int64_t rank) const {
    const auto replica = replica_of(rank);
    return replica >= 0 &&
           (replicas_ == ranks() || std::ranges::count(request_.replica_of_rank, replica) == 1);
}

std::vector<std::int64_t> EpochPlan::borders_of(std::int64_t total) const {
    const auto units = total / request_.unit + (total % request_.unit != 0 ? 1 : 0);
    std::vector<std::int64_t> taken;
    if (request_.weights.empty()) {
        // The first (units mod replicas) replicas take one unit more.
        for (std::int64_t replica = 0; replica < replicas_; ++replica)
            taken.push_back(units / replicas_ + (replica < units % replicas_ ? 1 : 0));
    } else {
        taken = divide_units(units, request_.weights);
    }
    std::vector<std::int64_t> borders{0};
    for (std::int64_t before = 0; const auto count : taken)
        borders.push_back(std::min(total, (before += count) * request_.unit));
    return borders;
}

std::int64_t EpochPlan::taken_before(std::int64_t replica, std::int64_t total) const {
    const auto& borders = total == request_.batch_size ? whole_batch_ : rest_;
    return borders.at(static_cast<std::size_t>(replica));
}

std::int64_t EpochPlan::part_of(std::int64_t replica, std::int64_t total) const {
    return taken_before(replica + 1, total) - taken_before(replica, total);
}

std::int64_t EpochPlan::share_size(std::int64_t rank, std::int64_t step) const {
    const auto replica = replica_of(rank);
    return replica < 0 ? 0 : part_of(replica, batch_examples(step));
}

// With units, the last batch may give a rank more than the full ones do.
std::int64_t EpochPlan::largest_share(std::int64_t rank) const {
    return std::max(share_size(rank, 0), share_size(rank, steps_per_epoch() - 1));
}

std::int64_t EpochPlan::examples_of(std::int64_t rank) const {
    const auto replica = replica_of(rank);
    return replica < 0 ? 0 : first_of(replica + 1) - first_of(replica);
}

/// Examples that the replicas before this one train on in an epoch.
std::int64_t EpochPlan::first_of(std::int64_t replica) const {
    const auto full_batches = request_.examples / request_.batch_size;
    return full_batches * taken_before(replica, request_.batch_size) +
           taken_before(replica, request_.examples % request_.batch_size);
}

std::vector<std::uint32_t> EpochPlan::order_of(std::int64_t rank, std::uint32_t epoch) const {
    const auto replica = replica_of(rank);
    if (replica < 0 || examples_of(rank) == 0) return {};
    if (replicas_ == 1) return epoch_order(0, request_.examples, request_.shuffle, request_.seed, epoch);
    switch (request_.sharding.scheme) {
        case ShardingScheme::global_batch: return share_of_each_batch(rank, epoch);
        case ShardingScheme::contiguous:
        case ShardingScheme::proportional:
            return epoch_order(first_of(replica), examples_of(rank), request_.shuffle, request_.seed, epoch);
        case ShardingScheme::replicated: return order_of_replicated(replica, epoch);
        case ShardingScheme::strided:
        case ShardingScheme::shuffled:
        case ShardingScheme::by_label:
        case ShardingScheme::dirichlet: return order_of_part(replica, epoch);
    }
    throw InternalError("an unknown sharding scheme");
}

bool EpochPlan::needs_labels() const {
    const auto scheme = request_.sharding.scheme;
    return replicas_ > 1 && (scheme == ShardingScheme::by_label || scheme == ShardingScheme::dirichlet);
}

EpochPlan EpochPlan::with_labels(std::span<const std::int32_t> labels) const {
    auto plan = *this;
    if (needs_labels())
        plan.parts_by_label_ = std::make_shared<const std::vector<std::uint32_t>>(parts(labels));
    return plan;
}

std::span<const std::uint32_t> EpochPlan::parts_by_label() const {
    return parts_by_label_ ? std::span(*parts_by_label_) : std::span<const std::uint32_t>();
}

std::vector<std::uint32_t> EpochPlan::parts(std::span<const std::int32_t> labels) const {
    std::vector<std::int64_t> sizes;
    for (std::int64_t replica = 0; replica < replicas_; ++replica)
        sizes.push_back(first_of(replica + 1) - first_of(replica));
    return parts_of_replicas(
        {.sharding = request_.sharding, .sizes = sizes, .seed = request_.seed, .labels = labels});
}

std::vector<std::uint32_t> EpochPlan::order_of_part(std::int64_t replica, std::uint32_t epoch) const {
    const auto all = parts_by_label_ ? *parts_by_label_ : parts({});
    const auto first = first_of(replica);
    std::vector<std::uint32_t> part(all.begin() + first, all.begin() + first_of(replica + 1));
    if (request_.shuffle) {
        shuffle(part, RandomStream(request_.seed, RandomPurpose::shuffle, 0, epoch),
                static_cast<std::uint32_t>(first));
    }
    return part;
}

std::vector<std::uint32_t> EpochPlan::order_of_replicated(std::int64_t replica, std::uint32_t epoch) const {
    const auto count = first_of(replica + 1) - first_of(replica);
    const auto begin = epoch * count + (request_.shuffle ? 0 : first_of(replica));
    std::vector<std::uint32_t> order;
    for (auto round = begin / request_.examples; std::ssize(order) < count; ++round) {
        auto all = epoch_order(0, request_.examples, false, 0, 0);
        if (request_.shuffle) {
            shuffle(all,
                    RandomStream(request_.seed, RandomPurpose::shuffle,
                                 static_cast<std::uint32_t>(replica) + 1, static_cast<std::uint32_t>(round)));
        }
        const auto from = std::max<std::int64_t>(0, begin - round * request_.examples);
        const auto until = std::min(request_.examples, from + count - std::ssize(order));
        order.insert(order.end(), all.begin() + from, all.begin() + until);
    }
    return order;
}

std::vector<std::uint32_t> EpochPlan::share_of_each_batch(std::int64_t rank, std::uint32_t epoch) const {
    auto global = epoch_order(0, request_.examples, request_.shuffle, request_.seed, epoch);
    std::vector<std::uint32_t> mine;
    mine.reserve(static_cast<std::size_t>(examples_of(rank)));
    for (std::int64_t step = 0; step < steps_per_epoch(); ++step) {
        const auto begin = global.begin() + step * request_.batch_size +
                           taken_before(replica_of(rank), batch_examples(step));
        mine.insert(mine.end(), begin, begin + share_size(rank, step));
    }
    return mine;
}

Share EpochPlan::share(std::int64_t rank, std::uint32_t epoch, std::int64_t step) const {
    const auto size = share_size(rank, step);
    const auto order = order_of(rank, epoch);
    if (size == 0) return {{}, batch_examples(step)};
    const auto begin = order.begin() + step * part_of(replica_of(rank), request_.batch_size);
    return {{begin, begin + size}, batch_examples(step)};
}

std::vector<std::vector<std::int64_t>> EpochPlan::splits() const {
    std::vector<std::vector<std::int64_t>> distinct;
    for (const auto step : {std::int64_t{0}, steps_per_epoch() - 1}) {
        if (split_of(step) < distinct.size()) continue;
        auto& sizes = distinct.emplace_back();
        for (std::int64_t rank = 0; rank < ranks(); ++rank) sizes.push_back(share_size(rank, step));
    }
    return distinct;
}

/// Only the last batch of an epoch may be smaller.
std::size_t EpochPlan::split_of(std::int64_t step) const {
    return batch_examples(step) == batch_examples(0) ? 0 : 1;
}

}  // namespace convoy
