#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// What one node takes of one batch.
struct Share {
    std::vector<std::uint32_t> examples;  ///< their indices in the dataset, in the order of training
    std::int64_t global_examples = 0;     ///< of this batch over all nodes
    bool operator==(const Share&) const = default;
};

/// All that decides who trains on what, and when.
struct ShardingRequest {
    ShardingScheme scheme = ShardingScheme::global_batch;
    std::int64_t examples = 0;    ///< in the dataset
    std::int64_t batch_size = 0;  ///< global: the sum over nodes
    /// By rank: the replica of the network that it computes with, from 0 up; -1 for a rank that takes no
    /// data. Ranks of one replica take the same examples.
    std::vector<std::int64_t> replica_of_rank = {0};
    bool shuffle = false;
    std::uint64_t seed = 0;
};

/// So many ranks, each a replica of its own.
std::vector<std::int64_t> one_replica_each(std::int64_t ranks);

/// How the examples of a dataset are dealt out to nodes and steps, the same in every epoch but for their
/// order. A pure function of the request, so that all nodes agree without a word.
///
/// Step b of an epoch has the global batch of min(batch_size, examples - b * batch_size) examples: the last
/// may be smaller, and none is left out. Replicas split a batch as evenly as can be, the first replicas take
/// one more; where a batch has fewer examples than there are replicas, the last replicas take none.
///
/// global_batch: the dataset is put in order as a whole, and each replica takes its share of each batch. The
/// order does not depend on the number of nodes. contiguous: replica r keeps one stretch of the dataset, as
/// long as its shares are in all (a w-th of it where batches divide by w replicas), and orders that itself.
class EpochPlan {
  public:
    /// Throws DataError where batch_size or the number of examples is not positive, or there are too many
    /// examples.
    explicit EpochPlan(const ShardingRequest& request);

    [[nodiscard]] std::int64_t steps_per_epoch() const;
    [[nodiscard]] std::int64_t batch_examples(std::int64_t step) const;  ///< over all nodes
    [[nodiscard]] std::int64_t share_size(std::int64_t rank, std::int64_t step) const;
    [[nodiscard]] std::int64_t examples_of(std::int64_t rank) const;  ///< in an epoch

    /// What rank trains on in an epoch (counted from 0), step after step: shares stand one behind the other.
    [[nodiscard]] std::vector<std::uint32_t> order_of(std::int64_t rank, std::uint32_t epoch) const;

    /// One share of it. Puts the whole epoch in order to find it: for many steps cut order_of instead.
    [[nodiscard]] Share share(std::int64_t rank, std::uint32_t epoch, std::int64_t step) const;

    /// The different ways in which a batch is split over the ranks (examples by rank), in the order in which
    /// they first occur: a program is compiled for each.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> splits() const;
    /// Which of them a step's batch has: an index.
    [[nodiscard]] std::size_t split_of(std::int64_t step) const;

    [[nodiscard]] std::int64_t ranks() const {
        return static_cast<std::int64_t>(request_.replica_of_rank.size());
    }
    [[nodiscard]] std::int64_t replicas() const { return replicas_; }
    /// Whether a rank is all of its replica: false where it shares one, or takes no data.
    [[nodiscard]] bool alone_in_replica(std::int64_t rank) const;

  private:
    /// Throws InternalError where there is no such rank.
    [[nodiscard]] std::int64_t replica_of(std::int64_t rank) const;
    [[nodiscard]] std::int64_t first_of(std::int64_t replica) const;
    [[nodiscard]] std::vector<std::uint32_t> share_of_each_batch(std::int64_t rank,
                                                                 std::uint32_t epoch) const;

    ShardingRequest request_;
    std::int64_t replicas_;
};

/// Puts items in random order (Fisher-Yates). first counts the random numbers from there on, so that parts of
/// one list draw different ones.
void shuffle(std::span<std::uint32_t> items, const RandomStream& random, std::uint32_t first = 0);

/// The numbers [first, first + count) in the order of an epoch: as they are, or shuffled by (seed, epoch) and
/// by nothing else (Fisher-Yates with RandomStream).
std::vector<std::uint32_t> epoch_order(std::int64_t first, std::int64_t count, bool shuffled,
                                       std::uint64_t seed, std::uint32_t epoch);

}  // namespace convoy
