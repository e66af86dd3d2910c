#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"

namespace convoy {

/// The connections at a listening port whose owners have not shown yet that they belong to the run. A bounded
/// number may wait. If one more comes, the one that has waited longest has to leave: somebody who belongs to
/// the run says so at once, and tries again if it was not fast enough. So connections that say nothing keep
/// nobody out.
class WaitingRoom {
  public:
    /// The most that may wait, in all and from one address, beside those that are expected.
    static constexpr std::size_t most = 64, most_of_address = 32;
    /// The time in which a connection must say who it is.
    static constexpr Clock::duration patience = std::chrono::seconds(2);

    /// expected: the number of connections that belong to the run.
    explicit WaitingRoom(std::size_t expected) : expected_(expected) {}

    /// Adds a connection. id: larger than all before. Returns the connection that has to leave, if there are
    /// too many then, and removes it.
    std::optional<std::uint64_t> enter(std::uint64_t id, const std::string& address);
    /// Removes a connection, if it waits.
    void leave(std::uint64_t id);
    [[nodiscard]] std::size_t size() const { return addresses_.size(); }

  private:
    std::size_t expected_;
    std::map<std::uint64_t, std::string> addresses_;  ///< of those who wait, in the order in which they came
    std::map<std::string, std::size_t> counts_;       ///< of each address
};

}  // namespace convoy
