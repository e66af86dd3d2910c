#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/failure.hpp"
#include "cluster/launcher.hpp"
#include "cluster/remote_node.hpp"
#include "hosts/emulated_hosts.hpp"

namespace convoy {

/// One run of launch(): coroutines on one thread over the state of all nodes. conduct() is the run's story;
/// the others (one per connection and process, the heartbeat, the signals) take notes and wake it. Only
/// lib/cluster's sources include this.
class Launch {
  public:
    Launch(const LaunchOptions& options, LaunchObserver& observer);
    RunOutcome run();

  private:
    using Task = boost::asio::awaitable<void>;
    using Socket = boost::asio::ip::tcp::socket;
    using Channel = std::shared_ptr<MessageChannel>;

    // The story (launch.cpp)
    Task conduct();
    Task form();
    Task work();
    Task end_nodes(nlohmann::json last_word, Clock::duration patience);
    void close_everything();
    void keep_results();
    /// Waits until condition holds (true) or the deadline has passed (false). Throws what went wrong
    /// meanwhile.
    boost::asio::awaitable<bool> until(std::function<bool()> condition,
                                       std::optional<TimePoint> deadline = {});
    /// As until, whatever goes wrong.
    boost::asio::awaitable<bool> calmly_until(std::function<bool()> condition, TimePoint deadline);
    Task throw_root_cause();

    // Nodes come (launch_joining.cpp)
    void make_hosts();
    void open_door();
    void start_process(RemoteNode& node);
    /// How a local node ended, with a hint where its host was too small.
    [[nodiscard]] std::string end_text(const RemoteNode& node, const ProcessEnd& end) const;
    /// Where a local node is started; null: where the launcher is.
    [[nodiscard]] const HostEntrance* host_of(const RemoteNode& node) const;
    Task watch_process(RemoteNode& node);
    Task accept_workers();
    Task welcome(Socket socket, std::string host);
    RemoteNode* admit(const nlohmann::json& hello, const std::string& nonce, const std::string& host);
    RemoteNode* seat_for(std::optional<std::int64_t> rank);
    void assign_work();
    [[nodiscard]] std::optional<NodeCheckpoint> resume_of(std::int64_t rank) const;
    [[nodiscard]] int threads_of(const RemoteNode& node, int cores) const;

    // Nodes speak (launch_messages.cpp)
    Task listen_to(RemoteNode& node);
    void handle(RemoteNode& node, const nlohmann::json& message);
    void note_agreement(RemoteNode& node, std::string fingerprint);
    void note_stop(RemoteNode& node, std::int64_t started_step);
    void note_clock(RemoteNode& node, std::uint64_t number, double clock_us);
    void note_records(RemoteNode& node, const nlohmann::json& message);
    void note_weights(const nlohmann::json& message);
    void note_checkpoint(RemoteNode& node, NodeCheckpoint checkpoint);
    RunCheckpoint gather_checkpoint();
    void keep(RunCheckpoint checkpoint);
    Task keep_alive();
    void check_agreement_deadline();
    Task watch_signals();
    void begin_probes(RemoteNode& node);
    void ask_clock(RemoteNode& node);
    void send(RemoteNode& node, nlohmann::json message);
    void send_all(const nlohmann::json& message);

    void fail(Evidence evidence, ExitCode code, std::string message);
    void spawn(Task task);
    void changed() { change_.cancel(); }
    [[nodiscard]] bool all(bool RemoteNode::*property) const;

    const LaunchOptions& options_;
    LaunchObserver& observer_;
    std::string token_;
    std::int64_t local_nodes_;
    Clock::duration deadline_;

    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer change_;  ///< cancelled to wake conduct()
    boost::asio::steady_timer heartbeat_;
    std::optional<EmulatedHosts> hosts_;     ///< outlive the nodes that are on them
    std::vector<RemoteNode> nodes_;          ///< by rank; never resized, coroutines hold references
    std::set<Channel> joining_;              ///< connections that have not shown the token yet
    std::vector<Failure> failures_;          ///< in order of arrival
    std::exception_ptr bug_;                 ///< what a coroutine threw that nobody expected
    std::optional<TimePoint> first_agreed_;  ///< when the first node said the fingerprint that others owe
    int signals_seen_ = 0;
    bool assigned_ = false;
    bool stop_settled_ = false;
    bool ending_ = false;  ///< nodes may go: an end is no failure any more
    RunOutcome outcome_;
    boost::asio::thread_pool keeper_{1};  ///< where checkpoints are kept; last: it ends before what it uses
};

}  // namespace convoy
