#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "program/communicator.hpp"

namespace convoy {

/// What an exchange needs for itself alone: a link, or to be the only all-reduce between all ranks.
struct Lane {
    enum class Way : std::uint8_t { send, receive, all_ranks };
    std::int64_t connection = 0;
    Way way = Way::all_ranks;
    std::int64_t peer = 0;  ///< not of all_ranks
    auto operator<=>(const Lane&) const = default;
};

/// Says when an exchange may begin: when it is at the head of the queue of each of its lanes. Queues are in
/// the order in which exchanges were added.
class LinkQueues {
  public:
    /// True where it may begin at once. Every ticket is added once; lanes: each once.
    bool add(Ticket ticket, std::vector<Lane> lanes);
    /// Takes out an exchange that has begun and is done. Gives those that may begin now, in the order of
    /// their tickets.
    std::vector<Ticket> remove(Ticket ticket);
    /// The exchange and all that must be done before it may begin.
    [[nodiscard]] std::set<Ticket> up_to(Ticket ticket) const;
    [[nodiscard]] bool contains(Ticket ticket) const { return entries_.contains(ticket); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    void clear();

  private:
    struct Entry {
        std::vector<Lane> lanes;
        std::size_t at_head_of = 0;  // so many of these
    };
    std::map<Lane, std::deque<Ticket>> queues_;
    std::map<Ticket, Entry> entries_;
};

}  // namespace convoy
