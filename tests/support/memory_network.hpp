#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collective/fabric_communicator.hpp"
#include "net/io_thread.hpp"
#include "support/mortal_channel.hpp"

namespace convoy::test {

/// A node that dies as a killed process does: all its links close in place of one of its frames.
struct Death {
    std::int64_t rank = 0;
    std::int64_t frame = 0;  ///< of those that the node sends, counted from 0 over all its links
};

struct NetworkOptions {
    std::int64_t connections = 1;  ///< to each peer
    FabricOptions fabric = {};
    std::optional<Death> death = {};
};

/// Communicators of so many nodes within this process, each linked to each through memory. One thread carries
/// all data.
class MemoryNetwork {
  public:
    explicit MemoryNetwork(std::int64_t nodes, const NetworkOptions& options = {});

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(communicators_.size()); }
    /// The communicator of a rank that has not left.
    [[nodiscard]] Communicator& of_rank(std::int64_t rank) { return *communicators_.at(index(rank)); }
    /// Closes a rank's links, as the end of its process would. Returns when nothing uses its buffers any
    /// more.
    void leave(std::int64_t rank) { communicators_.at(index(rank)).reset(); }
    /// Frames that a rank has sent so far.
    [[nodiscard]] std::int64_t sent_frames(std::int64_t rank) const { return lives_.at(index(rank))->sent(); }

  private:
    static std::size_t index(std::int64_t rank) { return static_cast<std::size_t>(rank); }

    IoThread io_;
    std::vector<std::shared_ptr<Lifespan>> lives_;                    ///< by rank
    std::vector<std::unique_ptr<FabricCommunicator>> communicators_;  ///< by rank; null: has left
};

/// What one rank's work ended with.
struct RankError {
    std::int64_t rank = 0;
    std::exception_ptr error;
};

/// Runs work once for each rank, each in a thread of its own, and waits for all. A rank whose work throws
/// leaves the network; the others keep their links. Threads begin with the OpenMP threads of the caller.
/// Returns the errors in the order in which they came.
std::vector<RankError> on_all_ranks(
    MemoryNetwork& network, const std::function<void(std::int64_t rank, Communicator& communicator)>& work);

}  // namespace convoy::test
