#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "strategy/server_slices.hpp"
#include "strategy/strategy.hpp"

namespace convoy {

/// Whether a server answers each slice as soon as it has the gradients of all workers. Otherwise it needs all
/// of its slices first.
bool answers_by_slice(const CompileInput& input);

/// A slice, and the bucket that it belongs to.
struct SliceOfBucket {
    Bucket bucket;
    ServerSlice slice;
};

/// The exchanges of a parameter server's step. In a step of all workers together each slice of each bucket
/// goes to its server and comes back. Workers and servers make equal ones, since they have the same buckets.
/// Where workers take steps apart, each slice is a message to its server, and the new values are a message to
/// the worker. It refers to the input.
class ServerExchanges {
  public:
    /// program: with the buckets of all gradients, and no others.
    ServerExchanges(const Program& program, const CompileInput& input);

    /// The slices of a bucket, in the order in which they travel.
    [[nodiscard]] std::span<const ServerSlice> slices(const Bucket& bucket) const;
    /// All slices of one server in this order, bucket by bucket.
    [[nodiscard]] std::vector<SliceOfBucket> of_server(const Program& program, std::int64_t rank) const;
    /// Leaves a program only the buckets of which the server has slices.
    void keep_buckets_of(Program& program, std::int64_t rank) const;
    /// The rank of a slice's server. Servers stand behind the workers.
    [[nodiscard]] std::int64_t rank_of(const ServerSlice& slice) const;

    /// Gradients to the server, in the type that they travel as. program: the rank's own.
    [[nodiscard]] Operator push(const Program& program, OperatorKind kind, const Bucket& bucket,
                                const ServerSlice& slice) const;
    /// New values from the server: they are kept, so they travel unrounded.
    [[nodiscard]] Operator pull(const Program& program, OperatorKind kind, const Bucket& bucket,
                                const ServerSlice& slice) const;

    /// A message from this rank to another one, or from the other one to this rank. gradients: they travel in
    /// their wire type, new values unrounded.
    [[nodiscard]] Operator message(const Program& program, OperatorKind kind, const SliceOfBucket& slice,
                                   ExchangeVerb verb, std::int64_t peer, bool gradients) const;

  private:
    struct Place {
        std::int64_t position = 0;  ///< of the bucket among all
        std::string name;           ///< of the bucket
        std::vector<ServerSlice> slices;
    };
    [[nodiscard]] Operator exchange(const Program& program, OperatorKind kind, const Bucket& bucket,
                                    const ServerSlice& slice, ExchangeVerb verb,
                                    const StrategySpec& strategy) const;
    /// The strategy as values travel, which are kept.
    [[nodiscard]] StrategySpec unrounded() const;

    const CompileInput& input_;
    std::map<TensorId, Place> by_storage_;
};

}  // namespace convoy
