#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cluster/control_messages.hpp"
#include "cluster/messages.hpp"
#include "cluster/step_gate.hpp"
#include "cluster/worker.hpp"
#include "net/message_channel.hpp"

namespace convoy {

/// The error of a node whose exchange, or whose wait for the others, the launcher ends.
inline constexpr auto loss_elsewhere = "the launcher lost a node of the run";

/// The worker's end of the control connection, and the reporter of its job. It answers the launcher from the
/// IO thread, also while the job computes. Only lib/cluster's sources include this.
class WorkerLink : public NodeReporter {
  public:
    /// socket: connected to the launcher, which has proved that it knows the run's token or made the
    /// connection, on `io`. io: runs in another thread, and must run longer than this object lives.
    /// keys: of the seals of messages, or tls: the session that they go through. Both are absent on a
    /// connection that the launcher made.
    WorkerLink(boost::asio::io_context& io, StreamSocket socket, const WorkerOptions& options,
               const std::optional<SealKeys>& keys = {}, std::unique_ptr<TlsSession> tls = nullptr);
    ~WorkerLink() override;
    WorkerLink(const WorkerLink&) = delete;
    WorkerLink& operator=(const WorkerLink&) = delete;
    WorkerLink(WorkerLink&&) = delete;
    WorkerLink& operator=(WorkerLink&&) = delete;

    /// Sends the hello, the node's description of itself, and waits for the assignment. Absent if the
    /// launcher closed the connection without a word.
    std::optional<messages::Assign> join(messages::Hello hello);
    /// Reports the end of the job (done) or its failure (failed). Both return when the launcher lets this
    /// node leave.
    void done();
    void failed(const messages::Problem& problem);

    void agree(const Fingerprints& fingerprints) override;
    void progress(const NodeProgress& progress) override;
    void records(NodeRecords records) override;
    void weights(std::span<const std::byte> safetensors) override;
    void checkpoint(NodeCheckpoint checkpoint) override;
    void fault(const FaultSpec& fault) override;
    void cut_off() override;
    StepAnswer ask_for_step(std::int64_t step) override;
    void stand_still(NodeCheckpoint state) override;
    void suspend(const Error& lost, NodeCheckpoint state) override;

    /// Sets the function that is called, on the IO thread, when the launcher says that a node is lost. It
    /// ends the exchanges under way. Empty: there are none.
    void on_loss(std::function<void()> interrupt);
    /// Whether the job was suspended since it was called last.
    [[nodiscard]] bool is_suspended() const { return suspended_.has_value(); }
    /// Tells the launcher that the job is suspended, and waits for the next assignment. If the run ends
    /// instead, the process does. hello: as for join.
    messages::Assign rejoin(messages::Hello hello);

  private:
    using Task = boost::asio::awaitable<void>;
    Task greet(messages::Hello hello);
    void greet_again();
    Task listen(messages::Hello hello);
    /// Serves no connection any more, and ends the process when the others have long lost this node.
    [[noreturn]] void stay_silent();
    Task deliver(nlohmann::json message);
    /// Sends a message, and sets `sent` when the message is sent or the launcher is gone. The caller waits
    /// for `sent`.
    Task deliver_and_tell(nlohmann::json message, bool& sent);
    void spawn(Task task);
    Task watch_launcher();
    void handle(const nlohmann::json& message);
    void answer(const told::Ping& ping);
    void note_assignment(messages::Assign assign);
    void answer_with_last_step(std::int64_t (StepGate::*ask)());
    void note_loss();
    void note_end(const messages::Problem& problem);
    void send(nlohmann::json message);
    void leave(nlohmann::json last_word);
    [[noreturn]] void end_process(const messages::Problem& problem);
    [[noreturn]] void fail_alone(const messages::Problem& problem);
    template <class Condition>
    void wait_for(Condition condition);
    template <class Change>
    void update(Change change);

    boost::asio::io_context& io_;
    const WorkerOptions& options_;
    MessageChannel channel_;
    boost::asio::steady_timer watchdog_;
    clockid_t job_clock_;  ///< processor time of the thread that made this object, which runs the job

    // Of the IO thread
    int silent_ticks_ = 0;
    Clock::duration deadline_;

    // Of the job's thread
    TimePoint last_progress_;
    std::string last_phase_;
    bool stopped_ = false;
    struct Suspended {
        std::optional<messages::Problem> problem;  ///< absent: it was asked to stand still
        NodeCheckpoint state;
    };
    std::optional<Suspended> suspended_;

    // Of both, under mutex_
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<messages::Assign> assign_;
    std::exception_ptr refused_;                 ///< the reason why there is no assignment
    bool joined_ = false;                        ///< there was an assignment
    std::optional<messages::Hello> next_hello_;  ///< for the launcher's next welcome
    std::function<void()> interrupt_;
    bool state_wanted_ = false;
    bool peer_lost_ = false;  ///< the launcher said so, and this node has not said since that it stands still
    bool hung_up_ = false;    ///< the connection ended without a reason before the assignment
    bool agreed_ = false;
    bool fault_noted_ = false;  ///< the launcher has noted the fault that comes
    StepGate gate_;
    bool checkpoint_on_its_way_ = false;  ///< sent, and not yet kept
    bool leaving_ = false;                ///< the last message was sent
    bool dismissed_ = false;              ///< the launcher answered it, or the connection is gone
    bool closed_ = false;                 ///< this object is being destroyed; only the IO thread writes it
    int coroutines_ = 0;                  ///< coroutines that still use this object
};

}  // namespace convoy
