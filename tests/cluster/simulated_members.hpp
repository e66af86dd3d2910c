#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/suspension.hpp"

/// The workers of a simulated run that are its nodes now, in one membership after another.
class SimulatedMembers {
  public:
    /// The first membership: as many workers, each at the place of its own number.
    explicit SimulatedMembers(std::size_t nodes);

    /// A worker by its number in the run, and its place among the others.
    struct Member {
        std::size_t worker = 0;
        std::int64_t place = 0;
    };

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(by_rank_.size()); }
    /// By rank.
    [[nodiscard]] std::vector<std::size_t> workers() const;
    [[nodiscard]] std::size_t worker_at(std::int64_t rank) const {
        return by_rank_.at(static_cast<std::size_t>(rank)).worker;
    }
    /// Absent: the worker is no part of this membership.
    [[nodiscard]] std::optional<std::int64_t> rank_of(std::size_t worker) const;

    /// The number of memberships before this one.
    [[nodiscard]] std::int64_t generation() const { return generation_; }
    /// The step after which this membership began.
    [[nodiscard]] std::int64_t from_step() const { return from_step_; }
    /// Whether the workers have gone on from that step several times in a row, and nobody left or joined.
    [[nodiscard]] bool go_on_in_vain() const;

    void wait_to_join(Member newcomer) { waiting_.push_back(newcomer); }
    [[nodiscard]] bool waits(std::size_t worker) const;
    [[nodiscard]] bool someone_waits() const { return !waiting_.empty(); }
    /// All that wait, who do not wait any more.
    [[nodiscard]] std::vector<Member> take_waiting();

    /// Begins the next membership, of those that are left and those that join. Returns those that are no part
    /// of it any more.
    std::vector<Member> regroup(const convoy::Regrouping& regrouping, std::span<const Member> joining);

  private:
    std::vector<Member> by_rank_;
    std::vector<Member> waiting_;
    std::int64_t generation_ = 0, from_step_ = 0;
    int times_in_vain_ = 0;
};
