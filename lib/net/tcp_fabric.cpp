#include "net/tcp_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/hello_exchange.hpp"
#include "net/signal.hpp"
#include "net/tcp_channel.hpp"
#include "net/waiting_room.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// The pauses between tries to connect to a peer.
constexpr std::chrono::milliseconds shortest_pause{10}, longest_pause{500};
/// The pause after a connection could not be accepted, as too many files are open: others may leave.
constexpr std::chrono::milliseconds pause_of_door{100};

std::string address_and_port(const tcp::endpoint& endpoint) {
    return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

/// Fabrics, one for each connection between two peers, in the making. Tasks (an accept loop, a greeting per
/// accepted connection, one connect per peer) report here; run() waits for them, and ends all of them before
/// it returns.
class Formation {
  public:
    Formation(tcp::acceptor acceptor, TcpFabricOptions options)
        : acceptor_(std::move(acceptor)),
          options_(std::move(options)),
          changed_(acceptor_.get_executor()),
          timer_(acceptor_.get_executor()),
          missing_to_(links_to(options_.send_to)),
          missing_from_(links_to(options_.receive_from)),
          room_(missing_from_.size()) {
        for (std::int64_t i = 0; i < options_.connections; ++i) {
            fabrics_.push_back(std::make_unique<Fabric>(acceptor_.get_executor(), options_.rank, world_size(),
                                                        options_.fabric));
        }
    }

    Formation(const Formation&) = delete;
    Formation& operator=(const Formation&) = delete;
    Formation(Formation&&) = delete;
    Formation& operator=(Formation&&) = delete;
    ~Formation() {
        if (options_.end) options_.end->watch({});
    }

    awaitable<std::vector<std::unique_ptr<Fabric>>> run() {
        watch_end();
        start_timer();
        const auto to = missing_to_;  // connect takes out what it has done
        for (const auto& link : to) start(connect(link));
        if (!missing_from_.empty()) start(accept());
        while (!error_ && !late_ && !complete()) {
            co_await changed_.wait();
        }
        timer_.cancel();
        end_tasks();
        while (tasks_ > 0 || timer_pending_) {
            co_await changed_.wait();
        }
        if (error_) std::rethrow_exception(error_);
        if (!complete()) throw_missing();
        co_return std::move(fabrics_);
    }

  private:
    struct Link {
        std::int64_t peer, connection;
        // NOLINTNEXTLINE(modernize-use-nullptr): no pointer is compared
        auto operator<=>(const Link&) const = default;
    };

    /// Keeps a socket where end_tasks() finds it while a task uses it.
    class Using {
      public:
        Using(Formation& formation, tcp::socket& socket) : formation_(formation), socket_(socket) {
            formation_.in_use_.insert(&socket);
        }
        Using(const Using&) = delete;
        Using& operator=(const Using&) = delete;
        Using(Using&&) = delete;
        Using& operator=(Using&&) = delete;
        ~Using() { formation_.in_use_.erase(&socket_); }

      private:
        Formation& formation_;
        tcp::socket& socket_;
    };

    [[nodiscard]] std::int64_t world_size() const {
        return static_cast<std::int64_t>(options_.endpoints.size());
    }
    [[nodiscard]] std::set<Link> links_to(const std::vector<std::int64_t>& peers) const {
        std::set<Link> links;
        for (const auto peer : peers) {
            for (std::int64_t i = 0; i < options_.connections; ++i) links.insert({peer, i});
        }
        return links;
    }
    [[nodiscard]] Fabric& fabric_of(const Link& link) const {
        return *fabrics_.at(static_cast<std::size_t>(link.connection));
    }
    [[nodiscard]] bool complete() const { return missing_to_.empty() && missing_from_.empty(); }

    [[nodiscard]] std::string name(std::int64_t rank) const {
        return fmt::format("node {} ({})", rank,
                           address_and_port(options_.endpoints.at(static_cast<std::size_t>(rank))));
    }

    [[nodiscard]] Hello hello_to(const Link& link) const {
        return {.purpose = Purpose::data,
                .world_size = world_size(),
                .from_rank = options_.rank,
                .to_rank = link.peer,
                .connection = link.connection};
    }

    [[nodiscard]] bool wants_seal(const tcp::socket& socket) const {
        return options_.always_seal || leaves_machine(socket);
    }

    void start(awaitable<void> task) {
        ++tasks_;
        asio::co_spawn(acceptor_.get_executor(), std::move(task), [this](const std::exception_ptr& error) {
            --tasks_;
            if (error && !error_ && !ending_) error_ = error;
            changed_.notify();
        });
    }

    void watch_end() {
        if (!options_.end) return;
        const auto take_reason = [this] {
            if (!error_) error_ = options_.end->reason();
            changed_.notify();
        };
        options_.end->watch(take_reason);
        if (options_.end->reason()) take_reason();
    }

    void start_timer() {
        timer_pending_ = true;
        timer_.expires_after(options_.formation_deadline);
        timer_.async_wait([this](const error_code& cancelled) {
            timer_pending_ = false;
            late_ = !cancelled;
            changed_.notify();
        });
    }

    void end_tasks() {
        ending_ = true;
        error_code ignored;
        acceptor_.close(ignored);
        for (auto* socket : in_use_) socket->close(ignored);
        for (auto* timer : sleeping_) timer->cancel();
    }

    /// Waits, unless all tasks are to end.
    awaitable<void> pause(Clock::duration time) {
        if (ending_) co_return;
        asio::steady_timer timer(acceptor_.get_executor(), time);
        sleeping_.insert(&timer);
        co_await timer.async_wait(as_outcome);
        sleeping_.erase(&timer);
    }

    /// keys: as this node sees them; unused if the session has no seals.
    [[nodiscard]] std::unique_ptr<Channel> channel(tcp::socket socket, std::int64_t peer, Session& session,
                                                   const SealKeys& keys) const {
        const bool same_host = fabrics_.front()->hosts().together(peer, options_.rank);
        return make_tcp_channel(std::move(socket), name(peer), same_host ? same_host_send_buffer_bytes : 0,
                                session.sealed ? std::optional(keys) : std::nullopt, std::move(session.tls));
    }

    awaitable<void> connect(Link link) {
        Clock::duration wait = shortest_pause;
        while (!ending_ && !co_await reach(link)) {
            co_await pause(wait);
            wait = std::min<Clock::duration>(2 * wait, longest_pause);
        }
    }

    /// Connects to a peer. Returns false if the peer hung up before it answered: strangers crowd at its door.
    awaitable<bool> reach(Link link) {
        const auto peer = link.peer;
        const auto who = name(peer);
        tcp::socket socket(acceptor_.get_executor());
        const Using use(*this, socket);
        const auto& endpoint = options_.endpoints.at(static_cast<std::size_t>(peer));
        const auto [unreachable] = co_await socket.async_connect(endpoint, as_outcome);
        if (unreachable)
            throw ClusterError(fmt::format("{}: cannot be reached: {}", who, unreachable.message()));
        auto hello = hello_to(link);
        hello.wants_seal = wants_seal(socket);
        const ConnectorTls tls{.context = options_.tls,
                               .required = options_.tls.has_value(),
                               .host = endpoint.address().to_string()};
        Session session;
        try {
            session = co_await say_hello(socket, hello, options_.secret.key, who, tls);
        } catch (const HungUpError& hung_up) {
            if (!ending_) last_refusal_ = hung_up.what();
            co_return false;
        }
        const SealKeys keys{.out = session.keys.to_acceptor, .in = session.keys.to_connector};
        fabric_of(link).link_to(peer, channel(std::move(socket), peer, session, keys));
        missing_to_.erase(link);
        co_return true;
    }

    void check_world(const Hello& hello, const std::string& who) const {
        if (hello.world_size == world_size()) return;
        throw DisagreementError(fmt::format("{}: counts {} nodes where this node counts {}", who,
                                            hello.world_size, world_size()));
    }

    awaitable<void> accept() {
        while (!missing_from_.empty() && !ending_) {
            auto [problem, socket] = co_await acceptor_.async_accept(as_outcome);
            if (ending_) co_return;
            if (problem) {
                last_refusal_ = fmt::format("cannot accept a connection: {}", problem.message());
                co_await pause(pause_of_door);
            } else {
                let_in(std::make_shared<tcp::socket>(std::move(socket)));
            }
        }
    }

    /// Greets a connection. Another one has to leave for it if too many are there.
    void let_in(std::shared_ptr<tcp::socket> socket) {
        error_code gone;
        const auto from = socket->remote_endpoint(gone);
        if (gone) return;
        const auto number = ++last_greeting_;
        greeting_[number] = socket;
        if (const auto displaced = room_.enter(number, from.address().to_string()))
            greeting_.at(*displaced)->close(gone);
        start(greet(std::move(socket), number, address_and_port(from)));
    }

    /// Closes a socket once its greeting has taken too long, unless what this returns is gone by then.
    [[nodiscard]] std::shared_ptr<asio::steady_timer> closing_later(tcp::socket& socket) const {
        auto timer = std::make_shared<asio::steady_timer>(socket.get_executor(), options_.greeting_deadline);
        timer->async_wait([kept = std::weak_ptr(timer), &socket](const error_code& cancelled) {
            error_code ignored;
            if (!cancelled && !kept.expired()) socket.close(ignored);
        });
        return timer;
    }

    /// Receives the hello of a connection that waits in the room, which it then leaves. Absent if it does not
    /// prove that it belongs to the run.
    awaitable<std::optional<Session>> session_of(tcp::socket& socket, std::uint64_t number, std::string who) {
        const auto patience = closing_later(socket);
        std::optional<Session> session;
        try {
            session =
                co_await hear_hello(socket, options_.secret.run, options_.secret.key, who, options_.tls);
        } catch (const InternalError&) {
            throw;
        } catch (const Error& refused) {
            if (!ending_) last_refusal_ = refused.what();
        }
        room_.leave(number);
        greeting_.erase(number);
        co_return session;
    }

    /// Links who proves to be a peer; drops anyone else, keeping the reason for the day that someone is
    /// missing.
    awaitable<void> greet(std::shared_ptr<tcp::socket> shared, std::uint64_t number, std::string who) {
        auto& socket = *shared;
        const Using use(*this, socket);
        auto session = co_await session_of(socket, number, who);
        if (!session) co_return;
        const auto& hello = session->hello;
        check_world(hello, who);
        const auto peer = hello.from_rank;
        const Link link{peer, hello.connection};
        if (hello.purpose != Purpose::data || hello.to_rank != options_.rank ||
            missing_from_.count(link) == 0 || !greeted_.insert(link).second) {
            last_refusal_ = fmt::format("{}: connects node {} to node {}", who, peer, hello.to_rank);
            co_return;
        }
        try {
            co_await answer_hello(socket, *session, wants_seal(socket), options_.secret.key, name(peer));
        } catch (const HungUpError&) {
            greeted_.erase(link);  // the peer connects again
            co_return;
        }
        const SealKeys keys{.out = session->keys.to_connector, .in = session->keys.to_acceptor};
        fabric_of(link).link_from(peer, channel(std::move(socket), peer, *session, keys));
        missing_from_.erase(link);
    }

    [[noreturn]] void throw_missing() const {
        std::string who;
        std::set<std::int64_t> missing;
        for (const auto* links : {&missing_to_, &missing_from_}) {
            for (const auto& link : *links) missing.insert(link.peer);
        }
        for (const auto peer : missing) who += (who.empty() ? "" : ", ") + name(peer);
        const auto hint = last_refusal_.empty() ? "" : "; refused meanwhile: " + last_refusal_;
        throw ClusterError(
            fmt::format("{}: no connection within {:.3g} s; is it running, and can it be reached?{}", who,
                        Seconds(options_.formation_deadline).count(), hint));
    }

    tcp::acceptor acceptor_;
    TcpFabricOptions options_;
    Signal changed_;
    asio::steady_timer timer_;
    std::set<Link> missing_to_, missing_from_, greeted_;
    std::vector<std::unique_ptr<Fabric>> fabrics_;  ///< by connection
    WaitingRoom room_;
    std::map<std::uint64_t, std::shared_ptr<tcp::socket>> greeting_;  ///< who waits in the room, by number
    std::uint64_t last_greeting_ = 0;
    std::set<tcp::socket*> in_use_;
    std::set<asio::steady_timer*> sleeping_;
    std::string last_refusal_;
    std::exception_ptr error_;
    int tasks_ = 0;
    bool late_ = false, ending_ = false, timer_pending_ = false;
};

}  // namespace

std::vector<std::int64_t> host_of_rank(std::span<const tcp::endpoint> endpoints) {
    std::vector<std::int64_t> hosts;
    for (const auto& endpoint : endpoints) {
        const auto first =
            std::ranges::find(endpoints, endpoint.address(), [](const auto& each) { return each.address(); });
        hosts.push_back(first - endpoints.begin());
    }
    return hosts;
}

tcp::acceptor listen_on(const asio::any_io_executor& executor, const asio::ip::address& address) {
    tcp::acceptor acceptor(executor);
    try {
        const tcp::endpoint endpoint(address, 0);
        acceptor.open(endpoint.protocol());
        acceptor.bind(endpoint);
        acceptor.listen();
    } catch (const boost::system::system_error& problem) {
        throw ClusterError(
            fmt::format("{}: cannot listen there: {}", address.to_string(), problem.code().message()));
    }
    return acceptor;
}

awaitable<std::vector<std::unique_ptr<Fabric>>> form_tcp_fabrics(tcp::acceptor acceptor,
                                                                 TcpFabricOptions options) {
    const auto formation = std::make_unique<Formation>(std::move(acceptor), std::move(options));
    co_return co_await formation->run();
}

}  // namespace convoy
