#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/member.hpp"
#include "cluster/membership_events.hpp"
#include "cluster/newcomers.hpp"
#include "cluster/suspension.hpp"

namespace convoy {

/// A node's process, which keeps its connection when the node gets another rank.
struct NodeProcess {
    std::int64_t place = 0;  ///< the rank for which it was started
    std::int64_t pid = 0;
    ConnectionId connection = 0;
    bool needs_state = false;  ///< it has joined, or is a step behind
    bool joins = false;        ///< it was none of the processes before
    std::int64_t step = 0;     ///< the last step that it has done, when the node gets another rank
};

/// The processes of the nodes that there are, by rank. A rank is that of now, a place the one of the
/// beginning.
class NodeProcesses {
  public:
    /// The run begins: each process is at its own place.
    explicit NodeProcesses(std::size_t count);

    [[nodiscard]] NodeProcess& at(std::int64_t rank) { return by_rank_.at(static_cast<std::size_t>(rank)); }
    [[nodiscard]] const NodeProcess& at(std::int64_t rank) const {
        return by_rank_.at(static_cast<std::size_t>(rank));
    }
    [[nodiscard]] std::span<const NodeProcess> all() const { return by_rank_; }
    /// Absent: the process of this place was lost.
    [[nodiscard]] std::optional<std::int64_t> rank_of(std::int64_t place) const;
    [[nodiscard]] bool has_connection(ConnectionId connection) const;
    [[nodiscard]] std::vector<std::int64_t> places() const;
    /// The places of those that have joined last.
    [[nodiscard]] std::vector<std::int64_t> joined_places() const;

    /// The run goes on with those that stand still and with newcomers; ranks go by place. members: of the
    /// membership that is over, by rank.
    void go_on(const Regrouping& regrouping, std::span<const Member> members,
               std::span<const Newcomers::Ready> newcomers);

  private:
    std::vector<NodeProcess> by_rank_;
};

}  // namespace convoy
