#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "program/communicator.hpp"

namespace convoy {

/// Something that only one exchange at a time may use: a link, the right to run an all-reduce of all ranks,
/// or a turn.
struct Lane {
    enum class Way : std::uint8_t { send, receive, all_ranks, turn };
    std::int64_t connection = 0;  ///< not used by turn
    Way way = Way::all_ranks;
    std::int64_t peer = 0;  ///< the turn of a turn; not used by all_ranks
    // NOLINTNEXTLINE(modernize-use-nullptr): no pointer is compared
    auto operator<=>(const Lane&) const = default;
};

/// Decides when an exchange may begin: when it is at the head of the queue of each of its lanes. Each queue
/// has its exchanges in the order in which they were added.
class LinkQueues {
  public:
    /// Adds an exchange, and returns whether it may begin at once. Each ticket is added once. lanes: without
    /// duplicates.
    bool add(Ticket ticket, std::vector<Lane> lanes);
    /// Removes an exchange that is done. Returns the exchanges that may begin now, in the order of their
    /// tickets.
    std::vector<Ticket> remove(Ticket ticket);
    /// The exchange, and all exchanges that must be done before it may begin.
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
