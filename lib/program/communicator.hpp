#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/clock.hpp"
#include "exchange/exchange.hpp"

namespace convoy {

/// Names a collective that was started and not yet waited for.
enum class Ticket : std::uint64_t {};

struct CollectiveTimes {
    TimePoint started;      ///< when this node asked for it
    TimePoint began;        ///< when its turn came, behind this node's earlier collectives (and behind the
                            ///< choice of what travels, where not all does)
    TimePoint peers_began;  ///< when data had come that tells that its peers have begun, too: until then it
                            ///< waited for them (skew), see Schedule::tells_of_peers
    TimePoint finished;     ///< when the result was in the buffer
};

/// Floats of which only the greatest travel (WireType::top_k), and what this rank has kept of those before:
/// as many, at first zeros. The rank adds its values to them, sends the greatest of these sums and keeps the
/// others; values become the sum over all ranks of what was sent.
struct SparsifiedBuffer {
    std::span<float> values, residual;
};

/// What a sum over all ranks is made of: floats, which may travel in fewer bits, or integers, which travel as
/// they are and whose sum has the same bits whatever the algorithm and the number of ranks.
using ReduceBuffer = std::variant<std::span<float>, std::span<std::int64_t>, SparsifiedBuffer>;

struct Traffic {
    std::uint64_t sent_bytes = 0;  ///< payload and headers, as given to the network
    std::uint64_t received_bytes = 0;
};

/// What the executor needs of the network. All ranks start the same collectives in the same order. Failures
/// (NodeLostError, DeadlineError, DisagreementError) are thrown by wait.
class Communicator {
  public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator(Communicator&&) = delete;
    Communicator& operator=(Communicator&&) = delete;
    virtual ~Communicator() = default;

    /// Begins an exchange of buffer, in place, and returns at once. The buffer belongs to the exchange until
    /// wait returns.
    virtual Ticket start(ReduceBuffer buffer, const Exchange& exchange) = 0;
    /// Blocks until the collective is done.
    virtual CollectiveTimes wait(Ticket ticket) = 0;
    /// Carries out an exchange and returns when it is done: the shortest way for whoever has nothing else to
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
