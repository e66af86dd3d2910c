#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// One rank's share of one batch.
struct Share {
    std::vector<std::uint32_t> examples;  ///< indices in the dataset, in the order of training
    std::int64_t global_examples = 0;     ///< number of examples of this batch over all nodes
    bool operator==(const Share&) const = default;
};

/// The inputs that decide which rank trains on which examples in which step.
struct ShardingRequest {
    ShardingSpec sharding = {};
    std::int64_t examples = 0;    ///< in the dataset
    std::int64_t batch_size = 0;  ///< global batch: the sum over all replicas
    /// For each rank, the replica with which it computes, counted from 0; -1 for a rank without data. Ranks
    /// of one replica take the same examples.
    std::vector<std::int64_t> replica_of_rank = {0};
    bool shuffle = false;
    std::uint64_t seed = 0;
    std::int64_t unit = 1;  ///< examples of a micro-batch: no share begins within one
    /// Of each replica, positive: its shares are in proportion to it. Empty: all shares are equal.
    std::vector<double> weights = {};
    /// The replicas that share a batch; of those without a rank, nobody takes the shares. 0: as many as
    /// replica_of_rank names.
    std::int64_t replicas = 0;
};

/// The list of replicas for this many ranks, if each rank is a replica of its own.
std::vector<std::int64_t> one_replica_each(std::int64_t ranks);

/// Splits the examples of a dataset over ranks and steps. All epochs have the same splits; only the order of
/// the examples differs. It is a pure function of the request, so all nodes have the same plan without
/// messages.
///
/// Step b of an epoch has the global batch of min(batch_size, examples - b * batch_size) examples: the last
/// may be smaller, and no example is left out. A batch is cut into units of `unit` examples; the last unit
/// may be smaller. Replicas split the units as evenly as possible: the first replicas may take one more. If a
/// batch has fewer units than replicas, the last replicas take none. With weights, replicas split the units
/// as divide_units() does. So the units of a batch are the same for each number of replicas, and for any
/// weights.
///
/// The schemes decide which examples a replica takes for its shares:
///
/// * global_batch: the whole dataset has one order, and each replica takes its share of each batch. The order
///   does not depend on the number of nodes.
/// * contiguous, proportional: replica r has one contiguous part of the dataset, which is as long as all its
///   shares together, and shuffles this part by itself. proportional is contiguous with weights.
/// * strided, shuffled, by_label, dirichlet: the same with the parts of parts_of_replicas().
/// * replicated: replica r goes through the whole dataset again and again, each time in an order of its own.
///   An epoch has as many steps as with the other schemes, so the replica goes through a part of its order,
///   and goes on from there in the next epoch. Without shuffle, it begins where its contiguous part begins.
///
/// With one replica all schemes are the same. The sizes of shares do not depend on labels; only order_of
/// does, with by_label and dirichlet.
class EpochPlan {
  public:
    /// Throws DataError if batch_size, the unit or the number of examples is not positive, or if there are
    /// too many examples. Throws InternalError if there are weights, but not one for each replica.
    explicit EpochPlan(const ShardingRequest& request);

    [[nodiscard]] std::int64_t steps_per_epoch() const;
    [[nodiscard]] std::int64_t batch_examples(std::int64_t step) const;  ///< over all nodes
    /// Those that some rank takes: all, unless a replica has no rank.
    [[nodiscard]] std::int64_t taken_examples(std::int64_t step) const;
    [[nodiscard]] std::int64_t share_size(std::int64_t rank, std::int64_t step) const;
    [[nodiscard]] std::int64_t largest_share(std::int64_t rank) const;  ///< of any step
    [[nodiscard]] std::int64_t examples_of(std::int64_t rank) const;    ///< in an epoch

    /// Whether order_of needs labels.
    [[nodiscard]] bool needs_labels() const;
    /// The same plan, for examples with these labels (each at least 0).
    [[nodiscard]] EpochPlan with_labels(std::span<const std::int32_t> labels) const;
    /// The parts that with_labels has made, see parts_of_replicas(). Empty before.
    [[nodiscard]] std::span<const std::uint32_t> parts_by_label() const;

    /// The examples of a rank in an epoch (counted from 0): its shares of all steps, one behind the other.
    /// Throws InternalError if labels are needed, and with_labels did not make this plan.
    [[nodiscard]] std::vector<std::uint32_t> order_of(std::int64_t rank, std::uint32_t epoch) const;

    /// The share of one step. It computes the order of the whole epoch; for many steps, cut order_of instead.
    [[nodiscard]] Share share(std::int64_t rank, std::uint32_t epoch, std::int64_t step) const;

    /// The different splits of the batches (examples for each rank), in the order in which they first occur.
    /// A program is compiled for each split.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> splits() const;
    /// The split of a step's batch: an index of splits().
    [[nodiscard]] std::size_t split_of(std::int64_t step) const;

    [[nodiscard]] std::int64_t ranks() const {
        return static_cast<std::int64_t>(request_.replica_of_rank.size());
    }
    [[nodiscard]] std::int64_t replicas() const { return replicas_; }
    [[nodiscard]] std::int64_t examples() const { return request_.examples; }
    /// Whether a rank is a whole replica. False if it shares its replica with other ranks, or takes no data.
    [[nodiscard]] bool alone_in_replica(std::int64_t rank) const;

  private:
    /// Throws InternalError if there is no such rank.
    [[nodiscard]] std::int64_t replica_of(std::int64_t rank) const;
    [[nodiscard]] std::int64_t first_of(std::int64_t replica) const;
    /// For a batch of `total` examples: those that the replicas before each one take, and at the end of the
    /// list those that all take.
    [[nodiscard]] std::vector<std::int64_t> borders_of(std::int64_t total) const;
    /// Examples of a batch of `total` that the replicas before this one take, and that it takes. total: of a
    /// whole batch, or what the last batch of an epoch has.
    [[nodiscard]] std::int64_t taken_before(std::int64_t replica, std::int64_t total) const;
    [[nodiscard]] std::int64_t part_of(std::int64_t replica, std::int64_t total) const;
    [[nodiscard]] std::vector<std::uint32_t> share_of_each_batch(std::int64_t rank,
                                                                 std::uint32_t epoch) const;
    [[nodiscard]] std::vector<std::uint32_t> parts(std::span<const std::int32_t> labels) const;
    [[nodiscard]] std::vector<std::uint32_t> order_of_part(std::int64_t replica, std::uint32_t epoch) const;
    [[nodiscard]] std::vector<std::uint32_t> order_of_replicated(std::int64_t replica,
                                                                 std::uint32_t epoch) const;

    ShardingRequest request_;
    std::int64_t replicas_;
    std::vector<std::int64_t> whole_batch_, rest_;  // borders_of a whole batch, and of the last
    std::shared_ptr<const std::vector<std::uint32_t>> parts_by_label_;  // copies of a plan share it
};

/// Divides units among replicas in proportion to their weights, which are speeds. The slowest replica, whose
/// units divided by its weight are the most, is then as fast as it can be: each unit goes to the replica that
/// would end first with it, the first of equals (the method of D'Hondt). If there are as many units as
/// replicas, each takes at least one; if there are fewer, only the fastest take one each.
std::vector<std::int64_t> divide_units(std::int64_t units, std::span<const double> weights);

/// Puts items in random order (Fisher-Yates). first: the index of the first random number; with different
/// values, parts of one list use different random numbers.
void shuffle(std::span<std::uint32_t> items, const RandomStream& random, std::uint32_t first = 0);

/// The numbers [first, first + count) in the order of an epoch. They ascend, or are shuffled (Fisher-Yates
/// with RandomStream); then their order depends on seed and epoch only.
std::vector<std::uint32_t> epoch_order(std::int64_t first, std::int64_t count, bool shuffled,
                                       std::uint64_t seed, std::uint32_t epoch);

}  // namespace convoy
