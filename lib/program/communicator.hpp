#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "base/clock.hpp"
#include "exchange/exchange.hpp"

namespace convoy {

/// Names an exchange that was started and not yet waited for.
enum class Ticket : std::uint64_t {};

struct CollectiveTimes {
    TimePoint started;  ///< when this node asked for it
    TimePoint began;    ///< when its turn came, behind this node's earlier exchanges on the same links (and
                        ///< behind the choice of what travels, where not all does)
    TimePoint peers_began;  ///< when data had come that tells that its peers have begun, too: until then it
                            ///< waited for them (skew), see Schedule::tells_of_peers; as `began` on a rank
                            ///< that only sends
    TimePoint finished;     ///< when the result was in the buffer
};

/// Floats of which only the greatest travel (WireType::top_k), and what this rank has kept of those before:
/// as many, at first zeros. The rank adds its values to them, sends the greatest of these sums and keeps the
/// others; values become the sum over all ranks of what was sent.
struct SparsifiedBuffer {
    std::span<float> values, residual;
};

/// What an exchange is made of: floats, which may travel in fewer bits, or integers, which travel as
/// they are and whose sum has the same bits whatever the algorithm and the number of ranks. A
/// SparsifiedBuffer is for all_reduce only.
using ReduceBuffer = std::variant<std::span<float>, std::span<std::int64_t>, SparsifiedBuffer>;

struct Traffic {
    std::uint64_t sent_bytes = 0;  ///< payload and headers, as given to the network
    std::uint64_t received_bytes = 0;
};

/// What the executor needs of the network: exchanges between this node and its peers.
///
/// Order: an exchange begins when all that this node started before it on any of its links (a peer, a
/// direction, a connection) are done; all-reduces between all ranks on one connection begin one after
/// another. Exchanges on
/// different links run at the same time. So two ranks must start what they exchange with each other in the
/// same order; they may start what they exchange with others in any order.
///
/// Failures (NodeLostError, DeadlineError, DisagreementError) are thrown by wait, wait_any and run, and end
/// all other exchanges too. InternalError where this rank is not in the group of an exchange.
///
/// Deadline: an all-reduce fails when a peer is silent for the deadline. Every other exchange may be started
/// long before its peers start it: the time until something comes from a peer, and the time that a peer takes
/// to accept what is sent, count only while a thread is in wait, wait_any or run for this exchange or for one
/// behind it. In wait_any, each progress of one of the exchanges gives all of them the whole deadline again.
class Communicator {
  public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator(Communicator&&) = delete;
    Communicator& operator=(Communicator&&) = delete;
    virtual ~Communicator() = default;

    /// Begins an exchange, in place, and returns at once. The buffer belongs to the exchange until wait
    /// returns for it; one that is only sent may be read meanwhile.
    virtual Ticket start(ReduceBuffer buffer, const Exchange& exchange) = 0;
    /// Blocks until the exchange is done.
    virtual CollectiveTimes wait(Ticket ticket) = 0;
    /// Blocks until one of the exchanges is done and gives its index; of several that of the one which was
    /// done first. Its times are for wait, which must still be called. Throws InternalError for no tickets.
    virtual std::size_t wait_any(std::span<const Ticket> tickets) = 0;
    /// Does an exchange and returns when it is done: the shortest way for a thread that has nothing else to
    /// do meanwhile.
    virtual CollectiveTimes run(ReduceBuffer buffer, const Exchange& exchange) {
        return wait(start(buffer, exchange));
    }
    /// Blocks until no thread uses a buffer any more: ends what is still under way, with an error for whoever
    /// waits for it and for all that comes. Harmless where nothing is. Whoever owns buffers calls it before
    /// they go.
    virtual void drain() noexcept = 0;
    /// All that went over the network so far. May be called from any thread.
    [[nodiscard]] virtual Traffic traffic() const = 0;
};

}  // namespace convoy
