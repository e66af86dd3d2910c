#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "base/clock.hpp"
#include "exchange/exchange.hpp"

namespace convoy {

/// The number of an exchange that was started and that no thread has waited for.
enum class Ticket : std::uint64_t {};

struct ExchangeTimes {
    TimePoint started;  ///< when this node asked for the exchange
    /// When this node's earlier exchanges on the same links were done and this exchange began. With top_k,
    /// the choice of the entries comes before this time.
    TimePoint began;
    /// When received data showed that the peers had begun, too (see Schedule::tells_of_peers). The time from
    /// `began` to `peers_began` is skew. On a rank that only sends, it equals `began`.
    TimePoint peers_began;
    TimePoint finished;  ///< when the result was in the buffer
    /// Of this rank, without headers of frames. Absent: not known, as another library moved them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
};

/// The buffer of an exchange with WireType::top_k: `values`, and the `residual` of this rank. Both have the
/// same number of elements, and the first residual is zero. The rank adds the values to the residual, sends
/// the greatest of these sums, and keeps the other sums as the new residual. The values become the sum of the
/// sent entries of all ranks.
struct SparsifiedBuffer {
    std::span<float> values, residual;
};

/// The buffer of an exchange. Floats may travel in fewer bits. Integers travel unchanged, and their sum has
/// the same bits for each algorithm and each number of ranks. A SparsifiedBuffer is for all_reduce only.
using ReduceBuffer = std::variant<std::span<float>, std::span<std::int64_t>, SparsifiedBuffer>;

struct Traffic {
    /// Payloads and headers of frames. Absent: not known, as another library moves most of them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
    std::uint64_t retransmits = 0;  ///< segments that the system had to send again, counted now and then
};

/// Runs exchanges between this node and its peers. The executor uses the network only through this interface.
///
/// Order: a link is a peer, a direction and a connection. An exchange begins when all exchanges are done that
/// this node started earlier on any of its links. All-reduces between all ranks on one connection run one
/// after another. Exchanges on different links run at the same time. So two ranks must start their common
/// exchanges in the same order. The order of exchanges with other ranks is free.
///
/// Failures (NodeLostError, DeadlineError, DisagreementError) are thrown by wait, wait_any and run. A failure
/// also ends all other exchanges. An exchange whose group does not have this rank is an InternalError.
///
/// Deadline: an all-reduce fails when a peer is silent for the deadline. Any other exchange may be started
/// long before its peers start it. For such an exchange, the deadline counts only while a thread is in wait,
/// wait_any or run for this exchange or for an exchange that is queued behind it. It limits the time until
/// data arrives from a peer, and the time until a peer accepts data. In wait_any, each progress of one of the
/// exchanges restarts the deadline of all of them.
class Communicator {
  public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator(Communicator&&) = delete;
    Communicator& operator=(Communicator&&) = delete;
    virtual ~Communicator() = default;

    /// Starts an exchange that works in place, and returns at once. The exchange owns the buffer until wait
    /// returns for it. If the exchange only sends the buffer, the caller may read the buffer meanwhile.
    virtual Ticket start(ReduceBuffer buffer, const Exchange& exchange) = 0;
    /// Blocks until the exchange is done, and returns its times. Call it once for each ticket.
    virtual ExchangeTimes wait(Ticket ticket) = 0;
    /// Blocks until one of the exchanges is done, and returns its index in `tickets`. If several are done, it
    /// returns the index of the exchange that was done first. The caller must still call wait for this
    /// exchange. Throws InternalError if `tickets` is empty.
    virtual std::size_t wait_any(std::span<const Ticket> tickets) = 0;
    /// Starts an exchange and waits for it. It is faster than start and wait, for a thread that has no other
    /// work meanwhile.
    virtual ExchangeTimes run(ReduceBuffer buffer, const Exchange& exchange) {
        return wait(start(buffer, exchange));
    }
    /// Ends all exchanges that are still under way, and blocks until no thread uses a buffer any more. Their
    /// waits, and all later calls, throw an error. After a failure, peers are told the cause first. Without
    /// an exchange under way it does nothing. The owner of the buffers calls it before it frees them.
    virtual void drain() noexcept = 0;
    /// Closes all links, as a network that fails, without a word about it to the peers. All waits, and all
    /// later calls, throw NodeLostError. A communicator without a network does nothing. Any thread may call
    /// it.
    virtual void drop_links() {}
    /// The bytes that went over the network so far. Any thread may call it.
    [[nodiscard]] virtual Traffic traffic() const = 0;
};

}  // namespace convoy
