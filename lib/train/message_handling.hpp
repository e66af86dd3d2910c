#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "measure/records.hpp"
#include "plan/node_plan.hpp"
#include "train/phase.hpp"

namespace convoy {

/// Runs the handlers of a node's routine: each message in the order of its arrival. A handler begins when all
/// that it waits for is there, so a slow peer never holds up the messages of the others.
class MessageHandling {
  public:
    /// The context of the update for a peer's message of a step. Steps are counted from 1 over the run. The
    /// handling itself sets the context's own `step`: the updates before this one.
    using ContextOf = std::function<StepContext(std::int64_t peer, std::int64_t step)>;
    /// A step of the peers, and the next step after which all peers wait for each other.
    struct Goal {
        std::int64_t step = 0, agreed = 0;
    };
    /// The messages of one peer that were handled before.
    struct PastOfPeer {
        std::int64_t step = 0;     ///< the last step that the peer has done: it sends the next one's message
        std::int64_t handled = 0;  ///< the messages up to this step are handled, and are not handled again
        std::int64_t version = 0;  ///< updates in the values of the last answer
        bool operator==(const PastOfPeer&) const = default;
    };
    /// All messages that were handled before, of a node that goes on with other peers.
    struct Past {
        std::int64_t updates = 0;
        std::vector<PastOfPeer> peers = {};  ///< in the order of the routine's handlers
        bool operator==(const Past&) const = default;
    };

    /// routine, communicator and phase must outlive this object. phase: has the handlers' programs.
    MessageHandling(std::int64_t rank, const Routine& routine, Communicator& communicator, Phase& phase);

    [[nodiscard]] bool any() const { return !peers_.empty(); }
    /// Begins behind these messages. Without this call, it begins where all peers have done the same steps.
    void go_on_behind(const Past& past);
    [[nodiscard]] Past past() const;
    /// Handles messages until the message of goal.step of each peer is handled; peers that are ahead may have
    /// sent later ones. Messages behind goal.agreed are not received, and answers to the messages of
    /// goal.agreed wait for the slowest peer. Call it for one step after the other. Appends a record of each
    /// update. Throws the errors of the communicator.
    StepResult run_step(const Goal& goal, const ContextOf& context_of, std::vector<UpdateRecord>& updates);
    /// Waits until the answers under way are sent.
    StepResult finish();

  private:
    enum class State : std::uint8_t { idle, receiving, held, answering };
    struct Peer {
        const MessageHandler* handler;
        State state = State::idle;
        std::int64_t done = 0;             ///< messages of so many steps have come
        std::int64_t handled = 0;          ///< messages up to this step were handled before they came again
        std::vector<Ticket> awaited = {};  ///< of the program that runs next
        std::size_t arrived = 0;           ///< so many of these are done
        std::int64_t version = 0;          ///< updates in the values of its last answer
        std::int64_t ahead = 0;            ///< see UpdateRecord
    };

    void begin(std::int64_t step);
    [[nodiscard]] std::int64_t slowest() const;
    /// The next peer in one of these states whose exchanges are done.
    Peer& next_of(std::span<const State> states, StepResult& result);
    void receive(Peer& peer, StepResult& result);
    void update(Peer& peer, const ContextOf& context_of, std::vector<UpdateRecord>& updates,
                StepResult& result);
    /// Answers the peers that may go on.
    void release(std::int64_t agreed, StepResult& result);
    void end_answer(Peer& peer, StepResult& result);
    void await(Peer& peer, State state, const Sequence& next);

    std::int64_t rank_;
    const Routine& routine_;
    Communicator& communicator_;
    Phase& phase_;
    OperatorRowId row_;  ///< of the waits for messages
    std::vector<Peer> peers_;
    bool begun_ = false;
    std::int64_t updates_ = 0;  ///< over the run
    std::vector<Ticket> tickets_;
    std::vector<Peer*> waiting_;  ///< by place in tickets_
};

}  // namespace convoy
