#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cluster/messages.hpp"
#include "cluster/worker.hpp"
#include "net/message_channel.hpp"

namespace convoy {

/// A worker's end of the control connection: answers the launcher from the IO thread, also while the job
/// computes, and is the job's reporter. Only lib/cluster's sources include this.
class WorkerLink : public NodeReporter {
  public:
    /// socket is connected to the launcher and lives on io, which runs in another thread until after this is
    /// gone.
    WorkerLink(boost::asio::io_context& io, boost::asio::ip::tcp::socket socket,
               const WorkerOptions& options);
    ~WorkerLink() override;
    WorkerLink(const WorkerLink&) = delete;
    WorkerLink& operator=(const WorkerLink&) = delete;
    WorkerLink(WorkerLink&&) = delete;
    WorkerLink& operator=(WorkerLink&&) = delete;

    /// Says hello, with what this node tells of itself (nonce and proof are filled in here), and waits for
    /// the work.
    messages::Assign join(messages::Hello hello);
    /// The job's last words; returns once the launcher lets this node go.
    void done();
    void failed(const messages::Problem& problem);

    void agree(const std::string& fingerprint) override;
    void progress(const NodeProgress& progress) override;
    void records(NodeRecords records) override;
    void weights(std::span<const std::byte> safetensors) override;
    void checkpoint(NodeCheckpoint checkpoint) override;
    bool may_start_step(std::int64_t step) override;

  private:
    using Task = boost::asio::awaitable<void>;
    Task greet(messages::Hello hello);
    Task listen(messages::Hello hello);
    Task deliver(nlohmann::json message);
    /// Sets sent, which the caller waits for, when the message is gone or the launcher is.
    Task deliver_and_tell(nlohmann::json message, bool& sent);
    void spawn(Task task);
    Task watch_launcher();
    void handle(const nlohmann::json& message);
    void note_assignment(const nlohmann::json& message);
    void note_stop();
    void note_end(const messages::Problem& problem);
    void send(nlohmann::json message);
    void leave(nlohmann::json last_word);
    [[noreturn]] void end_process(const messages::Problem& problem);
    template <class Condition>
    void wait_for(Condition condition);
    template <class Change>
    void update(Change change);

    boost::asio::io_context& io_;
    const WorkerOptions& options_;
    MessageChannel channel_;
    boost::asio::steady_timer watchdog_;

    // Of the IO thread
    int silent_ticks_ = 0;
    Clock::duration deadline_;
    std::string launcher_proof_;

    // Of the job's thread
    TimePoint last_progress_;
    std::string last_phase_;
    bool stopped_ = false;

    // Of both, under mutex_
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<messages::Assign> assign_;
    std::exception_ptr refused_;  ///< why there is no assignment
    bool agreed_ = false;
    bool stop_asked_ = false;
    std::optional<std::int64_t> last_step_;  ///< the step after which every node stops
    std::int64_t started_step_ = 0;
    bool checkpoint_on_its_way_ = false;  ///< told, and not yet kept
    bool leaving_ = false;                ///< the last word was said
    bool dismissed_ = false;              ///< and heard, or the connection is gone
    bool closed_ = false;                 ///< this object goes; written by the IO thread only
    int coroutines_ = 0;                  ///< that still use this object
};

}  // namespace convoy
