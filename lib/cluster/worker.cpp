#include "cluster/worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "base/lack_of_memory.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/worker_link.hpp"
#include "collective/fabric_communicator.hpp"
#include "collective/library_communicator.hpp"
#include "collective/mpi_all_reduce.hpp"
#include "hosts/emulated_hosts.hpp"
#include "measure/core_list.hpp"
#include "net/hello_exchange.hpp"
#include "net/interface.hpp"
#include "net/io_thread.hpp"
#include "net/tcp_fabric.hpp"

namespace convoy {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// A connection to the launcher's door. Throws UnreachableError if it cannot be had by then.
tcp::socket connect_to_door(asio::io_context& io, const WorkerOptions& options, TimePoint deadline) {
    const auto [host, port] = split_host_port(options.launcher);
    tcp::socket socket(io);
    try {
        const auto endpoints = tcp::resolver(io).resolve(host, port);
        auto connected = asio::async_connect(socket, endpoints, asio::use_future);
        if (connected.wait_until(deadline) != std::future_status::ready)
            asio::post(io, [&socket] { socket.close(); });
        connected.get();
    } catch (const boost::system::system_error& error) {
        throw UnreachableError(
            fmt::format("cannot reach the launcher at {}: {}; is it still waiting for nodes?",
                        options.launcher, error.code().message()));
    }
    return socket;
}

/// Proves to the launcher at the door that this worker knows the token, and lets the launcher prove the same.
/// Throws HungUpError if the connection ends meanwhile, or if it is not done by then.
Session prove(asio::io_context& io, tcp::socket& socket, const WorkerOptions& options,
              const TlsContext& context, TimePoint deadline) {
    const Hello hello{.purpose = Purpose::join,
                      .wants_seal = true,
                      .world_size = 0,
                      .from_rank = options.rank.value_or(-1),
                      .to_rank = -1};
    const auto token = std::as_bytes(std::span(options.token));
    const ConnectorTls tls{
        .context = context, .required = options.requires_tls, .host = split_host_port(options.launcher).host};
    auto proved =
        asio::co_spawn(io, say_hello(socket, hello, token, options.launcher_name(), tls), asio::use_future);
    if (proved.wait_until(deadline) != std::future_status::ready)
        asio::post(io, asio::use_future([&socket] { socket.close(); })).get();
    try {
        return proved.get();
    } catch (const HungUpError&) {
        throw;
    } catch (const CertificateError&) {
        throw;
    } catch (const TlsError&) {
        throw;
    } catch (const ClusterError&) {
        throw ClusterError(
            fmt::format("{} does not know this run's token, or somebody is between the two; look for a "
                        "typing error",
                        options.launcher_name()));
    } catch (const DataError&) {
        throw ClusterError(
            fmt::format("{} is no launcher of convoy; look for a typing error", options.launcher_name()));
    }
}

StreamSocket own_connection(asio::io_context& io, const OwnConnection& own) {
    using asio::local::stream_protocol;
    stream_protocol::socket socket(io);
    boost::system::error_code problem;
    socket.assign(stream_protocol(), own.descriptor, problem);
    if (problem) {
        throw UsageError(
            fmt::format("--control {}: is no connection to a launcher; this option is for workers that a "
                        "launcher starts",
                        own.descriptor));
    }
    return socket;
}

/// Where each rank listens.
std::vector<tcp::endpoint> endpoints_of(const messages::Assign& assign) {
    std::vector<tcp::endpoint> endpoints;
    for (const auto& peer : assign.peers) endpoints.push_back(parse_endpoint(peer));
    return endpoints;
}

/// The secret of the run, which a worker at the door computes.
RunSecret secret_of(const messages::Assign& assign, const WorkerOptions& options) {
    if (!options.own) return secret_of_run(std::as_bytes(std::span(options.token)), assign.run);
    if (!assign.run_key) throw DataError("the launcher does not say by which key the nodes know each other");
    return {.run = assign.run, .key = *assign.run_key};
}

/// The network of one run, whose links are formed once the job says which.
class TcpNetwork final : public Network {
  public:
    /// give_up: see LibraryCommunicator.
    TcpNetwork(IoThread& io, tcp::acceptor listener, const messages::Assign& assign, const RunSecret& secret,
               std::optional<TlsContext> tls, std::function<void(const Error&)> give_up)
        : io_(io),
          listener_(std::move(listener)),
          assign_(assign),
          secret_(secret),
          tls_(std::move(tls)),
          endpoints_(endpoints_of(assign)),
          hosts_(host_of_rank(endpoints_)),
          give_up_(std::move(give_up)) {}

    [[nodiscard]] const HostMap& hosts() const override { return hosts_; }

    ~TcpNetwork() override = default;
    TcpNetwork(const TcpNetwork&) = delete;
    TcpNetwork& operator=(const TcpNetwork&) = delete;
    TcpNetwork(TcpNetwork&&) = delete;
    TcpNetwork& operator=(TcpNetwork&&) = delete;

    Communicator& connect(const Links& links) override {
        if (communicator_) throw InternalError("the links of a run are formed once");
        try {
            return with_library(form(links));
        } catch (const ClusterError& error) {
            // The nodes of a run that has begun were there before.
            if (assign_.assignment.generation == 0) throw;
            throw NodeLostError(error.what());
        }
    }

    /// Leaves the other nodes, at a clean end.
    void finish() {
        if (by_library_) by_library_->finish();
    }

    /// Ends all exchanges, also later ones, since a node of the run is lost. Any thread may call it.
    void abort() {
        const auto reason = std::make_exception_ptr(NodeLostError(loss_elsewhere));
        asio::post(io_.context(), [end = formation_end_, reason] { end->end(reason); });
        const std::scoped_lock lock(mutex_);
        aborted_ = true;
        if (communicator_) communicator_->abort(reason);
    }

  private:
    [[nodiscard]] Clock::duration deadline() const {
        return std::chrono::duration_cast<Clock::duration>(Seconds(assign_.assignment.spec.deadline_s));
    }

    /// The communicator of a run whose gradients MPI sums, else `own`.
    Communicator& with_library(Communicator& own) {
        const auto& assignment = assign_.assignment;
        if (assignment.spec.strategy.algorithm != AllReduceAlgorithm::mpi) return own;
        return by_library_.emplace(own, make_mpi_all_reduce(assignment.rank, assignment.world_size),
                                   LibraryCommunicator::Options{.deadline = deadline(), .give_up = give_up_});
    }

    Communicator& form(const Links& links) {
        TcpFabricOptions options;
        options.rank = assign_.assignment.rank;
        options.endpoints = endpoints_;
        options.secret = secret_;
        options.tls = tls_;
        options.always_seal = assign_.always_seal;
        // A peer on another host may still fetch its data; the launcher sees whether anybody works.
        const bool fetches = assign_.assignment.spec.dataset.has_addresses();
        options.formation_deadline = fetches ? deadline() + longest_fetch : deadline();
        options.fabric.deadline = deadline();
        options.connections = links.connections;
        options.fabric.host_of_rank = host_of_rank(endpoints_);
        options.send_to = links.send_to;
        options.receive_from = links.receive_from;
        options.end = formation_end_;
        auto formed = asio::co_spawn(
            io_.context(), form_tcp_fabrics(std::move(listener_), std::move(options)), asio::use_future);
        auto fabrics = formed.get();
        const std::scoped_lock lock(mutex_);
        auto& communicator = communicator_.emplace(io_, std::move(fabrics));
        if (aborted_) communicator.abort(std::make_exception_ptr(NodeLostError(loss_elsewhere)));
        return communicator;
    }

    static constexpr auto longest_fetch = std::chrono::hours(24);

    IoThread& io_;
    tcp::acceptor listener_;
    const messages::Assign& assign_;
    RunSecret secret_;
    std::optional<TlsContext> tls_;
    std::vector<tcp::endpoint> endpoints_;
    HostMap hosts_;
    std::function<void(const Error&)> give_up_;
    std::shared_ptr<FormationEnd> formation_end_ = std::make_shared<FormationEnd>();
    std::mutex mutex_;  ///< guards what abort() needs
    std::optional<FabricCommunicator> communicator_;
    bool aborted_ = false;
    std::optional<LibraryCommunicator> by_library_;  ///< over communicator_
};

/// A thread that waits for the network may spin where every node on this machine has the cores for it.
void set_spin(IoThread& io, const messages::Assign& assign, int cores) {
    const auto hosts = host_of_rank(endpoints_of(assign));
    const auto own = hosts.at(static_cast<std::size_t>(assign.assignment.rank));
    const auto& spec = assign.assignment.spec;
    if (spec.cluster) cores = static_cast<int>(cores_of_host(spec, assign.assignment.rank, cores));
    const auto nodes_here = std::ranges::count(hosts, own);
    const bool quota = spec.cluster && spec.cluster->host(spec.host_of(assign.assignment.rank)).cpu;
    const auto least = quota ? std::chrono::microseconds(0) : brief_spin;
    io.set_spin(suggested_spin(nodes_here * (assign.assignment.threads + 1), cores),
                std::max(suggested_spin(nodes_here * assign.assignment.threads, cores), least));
}

/// A worker's way into a run: its link to the launcher, and the port where its peers reach it.
class Entry {
  public:
    Entry(IoThread& io, const WorkerOptions& options, int cores)
        : io_(io),
          options_(options),
          tls_(options.own ? std::nullopt : std::optional<TlsContext>(options.tls)),
          cores_(cores),
          deadline_(Clock::now() + options.join_deadline) {}

    messages::Assign join() {
        if (options_.own) {
            listen(resolve_interface(options_.interface.value_or("")));
            link_.emplace(io_.context(), own_connection(io_.context(), *options_.own), options_);
            auto assign = link_->join(hello());
            if (assign) return *std::move(assign);
            throw NodeLostError("the launcher closed the connection");
        }
        for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
            auto assign = join_at_door();
            if (assign) return *std::move(assign);
            if (Clock::now() + pause > deadline_)
                throw ClusterError(
                    fmt::format("{} closed each connection, or said nothing; is it busy with strangers?",
                                options_.launcher_name()));
            std::this_thread::sleep_for(pause);
        }
    }
    /// Waits for the next assignment, after the job was suspended.
    messages::Assign rejoin() {
        listen(resolve_interface(options_.interface.value_or("")));
        return link_->rejoin(hello());
    }
    WorkerLink& link() { return link_.value(); }
    /// For the connections to other nodes; absent: these are not under TLS.
    [[nodiscard]] std::optional<TlsContext> tls_of(const messages::Assign& assign) const {
        if (!assign.tls) return std::nullopt;
        return options_.own ? TlsContext(*assign.tls) : tls_;
    }
    tcp::acceptor take_listener() { return std::move(listener_.value()); }

  private:
    static constexpr std::chrono::milliseconds shortest_pause{20}, longest_pause{500};

    /// Absent if the launcher closed the connection without a word: strangers crowd there.
    std::optional<messages::Assign> join_at_door() {
        auto socket = connect_to_door(io_.context(), options_, deadline_);
        if (!listener_)
            listen(options_.interface ? resolve_interface(*options_.interface)
                                      : socket.local_endpoint().address());
        Session session;
        try {
            session = prove(io_.context(), socket, options_, tls_.value(), deadline_);
        } catch (const HungUpError&) {
            return std::nullopt;
        }
        const SealKeys keys{.out = session.keys.to_acceptor, .in = session.keys.to_connector};
        link_.emplace(io_.context(), std::move(socket), options_,
                      session.tls ? std::nullopt : std::optional(keys), std::move(session.tls));
        return link_->join(hello());
    }
    void listen(const asio::ip::address& address) {
        listener_.emplace(listen_on(io_.context().get_executor(), address));
    }
    [[nodiscard]] messages::Hello hello() const {
        messages::Hello hello;
        hello.pid = ::getpid();
        hello.fabric = endpoint_text(listener_->local_endpoint());
        hello.cores = cores_;
        hello.rank = options_.own ? options_.own->rank : options_.rank;
        return hello;
    }

    IoThread& io_;
    const WorkerOptions& options_;
    std::optional<TlsContext> tls_;  ///< of a worker that comes to the door: the launcher may want TLS
    int cores_;
    TimePoint deadline_;
    std::optional<tcp::acceptor> listener_;
    std::optional<WorkerLink> link_;
};

}  // namespace

std::string WorkerOptions::launcher_name() const {
    return own ? "the launcher" : fmt::format("the launcher at {}", launcher);
}

namespace {

/// Runs the job once. Returns the problem that ended it.
std::optional<messages::Problem> run_job(const NodeJob& job, NodeAssignment assignment, Network& network,
                                         NodeReporter& reporter) {
    try {
        job(std::move(assignment), network, reporter);
        return std::nullopt;
    } catch (const Error& error) {
        return messages::Problem{.code = error.code(), .message = error.what()};
    } catch (const std::exception& error) {
        const auto lack = lack_of_memory(error);
        return messages::Problem{.code = lack ? ExitCode::data : ExitCode::bug,
                                 .message = lack ? *lack : fmt::format("internal error: {}", error.what())};
    }
}

}  // namespace

int run_worker(const WorkerOptions& options, const NodeJob& job) {
    IoThread io;
    const auto cores = static_cast<int>(usable_cores());
    Entry entry(io, options, options.cores.value_or(cores));
    for (auto assign = entry.join();; assign = entry.rejoin()) {
        auto& link = entry.link();
        // The links stay open until the launcher says bye: a peer may still be at its last exchange.
        TcpNetwork network(io, entry.take_listener(), assign, secret_of(assign, options),
                           entry.tls_of(assign), [&link](const Error& error) {
                               link.failed({.code = error.code(), .message = error.what()});
                               std::_Exit(static_cast<int>(error.code()));
                           });
        set_spin(io, assign, cores);
        link.on_loss([&network] { network.abort(); });
        auto assignment = assign.assignment;
        assign.assignment.resume.reset();  // a large network is in memory once
        const auto problem = run_job(job, std::move(assignment), network, link);
        link.on_loss({});
        if (problem) {
            link.failed(*problem);
            return static_cast<int>(problem->code);
        }
        if (link.is_suspended()) continue;
        link.done();
        network.finish();
        return 0;
    }
}

}  // namespace convoy
