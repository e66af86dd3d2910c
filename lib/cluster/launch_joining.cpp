#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "cluster/endpoint.hpp"
#include "cluster/handshake.hpp"
#include "cluster/launch.hpp"
#include "cluster/messages.hpp"
#include "hosts/control_groups.hpp"
#include "net/interface.hpp"
#include "net/tcp_fabric.hpp"

namespace convoy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// A connection that has not shown the token yet may take so long, and there may be so many.
constexpr auto handshake_deadline = 10s;
constexpr std::size_t handshakes_limit = 64;
/// And so much may its hello hold; a node of the run may send large weights.
constexpr std::size_t hello_limit_bytes = std::size_t{64} << 10U;
constexpr std::size_t message_limit_bytes = std::size_t{1} << 30U;

std::vector<std::string> own_command(const char* subcommand) {
    return {std::filesystem::read_symlink("/proc/self/exe").string(), subcommand};
}

nlohmann::json welcome_message(const std::string& nonce) {
    return {{"type", messages::type::welcome},
            {"protocol", messages::protocol},
            {"version", version()},
            {"nonce", nonce}};
}

}  // namespace

int Launch::threads_of(const RemoteNode& node, int cores) const {
    const auto wanted = options_.spec.nodes[static_cast<std::size_t>(node.info.rank)].threads;
    // Threads share out sums too, and their order would depend on how many there are.
    if (options_.spec.micro_batch_size) return wanted.value_or(1);
    const bool local = node.info.rank < local_nodes_;
    if (local && options_.spec.cluster)
        return wanted.value_or(threads_on_host(options_.spec, node.info.rank, cores));
    return wanted.value_or(std::max(1, local ? cores / static_cast<int>(local_nodes_) : cores));
}

void Launch::make_hosts() {
    const auto& cluster = options_.spec.cluster;
    if (!cluster) return;
    const auto guardian =
        options_.host_guardian.empty() ? own_command("host-guardian") : options_.host_guardian;
    hosts_.emplace(guardian, *cluster, cluster->hosts_for(std::ssize(nodes_)));
    outcome_.network = hosts_->plan().network.to_string();
}

void Launch::open_door() {
    acceptor_ = listen_on(io_.get_executor(),
                          hosts_ ? hosts_->plan().launcher_address() : resolve_interface(options_.interface));
    observer_.on_listening(endpoint_text(acceptor_.local_endpoint()));
}

void Launch::start_process(RemoteNode& node) {
    auto command = options_.worker_command.empty() ? own_command("worker") : options_.worker_command;
    command.insert(command.end(), {"--join", endpoint_text(acceptor_.local_endpoint())});
    const int cores =
        options_.cores > 0 ? options_.cores : static_cast<int>(std::thread::hardware_concurrency());
    node.info.threads = threads_of(node, cores);
    const auto threads = std::to_string(node.info.threads);
    std::map<std::string, std::string> environment{{"CONVOY_TOKEN", token_},
                                                   {"CONVOY_RANK", std::to_string(node.info.rank)},
                                                   {"OMP_NUM_THREADS", threads},
                                                   {"OPENBLAS_NUM_THREADS", threads}};
    // Compute threads that spin for as long as libgomp lets them take the cores from those they wait for,
    // where anything else runs beside them; those that do not spin pay for being woken in each layer.
    if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr)
        environment.emplace("GOMP_SPINCOUNT", "10000");
    node.process.emplace(command, environment, host_of(node));
    node.running = true;
    node.info.pid = node.process->pid();
}

std::string Launch::end_text(const RemoteNode& node, const ProcessEnd& end) const {
    if (!hosts_ || !end.by_signal) return end.text();
    const auto host = options_.spec.host_of(node.info.rank);
    if (!ran_out_of_memory(hosts_->control_groups(host))) return end.text();
    return end.text() + ", as the memory of its host was used up (cluster.memory_mb),";
}

const HostEntrance* Launch::host_of(const RemoteNode& node) const {
    if (!hosts_) return nullptr;
    return &hosts_->entrance(options_.spec.host_of(node.info.rank));
}

Launch::Task Launch::watch_process(RemoteNode& node) {
    // A copy of the handle, so that this coroutine owns what it closes.
    asio::posix::stream_descriptor handle(io_, ::fcntl(node.process->handle(), F_DUPFD_CLOEXEC, 0));
    while (!node.process->ended()) co_await handle.async_wait(handle.wait_read, asio::use_awaitable);
    node.running = false;
    // A worker that cannot join says itself what is wrong, and its exit code is the reason's.
    const bool joined = node.channel != nullptr;
    fail(
        Evidence::cause, joined ? ExitCode::node_lost : ExitCode::unavailable,
        fmt::format("{} {}{}", node.label(), end_text(node, node.process->ended().value()), node.position()));
    changed();
}

Launch::Task Launch::accept_workers() {
    asio::steady_timer pause(io_);
    while (acceptor_.is_open()) {
        Socket socket(io_);
        const auto [error] = co_await acceptor_.async_accept(socket, asio::as_tuple(asio::use_awaitable));
        if (error && acceptor_.is_open()) {
            // Such as too many open files: others may leave, so it is worth another try.
            pause.expires_after(100ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        if (error || joining_.size() >= handshakes_limit) continue;
        boost::system::error_code gone;
        const auto remote = socket.remote_endpoint(gone);
        if (!gone) spawn(welcome(std::move(socket), remote.address().to_string()));
    }
}

Launch::Task Launch::welcome(Socket socket, std::string host) {
    const auto channel = std::make_shared<MessageChannel>(
        std::move(socket), fmt::format("a worker at {}", host), hello_limit_bytes);
    joining_.insert(channel);
    asio::steady_timer patience(io_, std::min<Clock::duration>(handshake_deadline, deadline_));
    patience.async_wait([weak = std::weak_ptr(channel)](boost::system::error_code cancelled) {
        if (const auto waiting = weak.lock(); waiting && !cancelled) waiting->close();
    });
    RemoteNode* node = nullptr;
    std::optional<Error> refusal;
    try {
        const auto nonce = random_token();
        co_await channel->send(welcome_message(nonce));
        const auto hello = co_await channel->receive();
        node = admit(hello, nonce, host);
    } catch (const Error& error) {
        refusal = error;
    }
    patience.cancel();
    if (node != nullptr) {
        node->channel = channel;
        node->connected = true;
        channel->rename(node->label());
        channel->set_limit(message_limit_bytes);
        spawn(listen_to(*node));
        changed();
    } else if (refusal && !ending_) {
        observer_.on_notice(fmt::format("refused a connection from {}: {}", host, refusal->what()));
        const messages::Problem problem{.code = refusal->code(), .message = refusal->what()};
        try {
            co_await channel->send(messages::encode(messages::type::abort, problem));
        } catch (const Error&) {
            // It did not wait for the answer.
        }
    }
    joining_.erase(channel);
}

RemoteNode* Launch::admit(const nlohmann::json& message, const std::string& nonce, const std::string& host) {
    if (messages::type_of(message) != messages::type::hello) throw DataError("it does not say hello");
    const auto hello = messages::decode_hello(message);
    if (!same_proof(hello.proof, join_proof(token_, JoinSide::worker, nonce, hello.nonce)))
        throw ClusterError("it does not know this run's token");

    auto* node = seat_for(hello.rank);
    if (node == nullptr) throw ClusterError("there is no free place for it in this run");
    if (hello.protocol != messages::protocol || hello.version != convoy::version()) {
        const auto text =
            fmt::format("{} runs convoy {} (protocol {}), the launcher {} (protocol {}); install the same",
                        node->label(), hello.version, hello.protocol, convoy::version(), messages::protocol);
        // A local worker is this run's own; one that was started by hand may be replaced by a right one.
        if (node->process) fail(Evidence::cause, ExitCode::disagreement, text);
        throw DisagreementError(text);
    }
    node->info.pid = hello.pid;
    node->info.host = host;
    node->fabric = hello.fabric;
    node->proof = join_proof(token_, JoinSide::launcher, nonce, hello.nonce);
    if (!node->process) node->info.threads = threads_of(*node, hello.cores);
    return node;
}

RemoteNode* Launch::seat_for(std::optional<std::int64_t> rank) {
    const auto free = [&](const RemoteNode& node) {
        return !node.channel && (rank ? node.info.rank == *rank : node.info.rank >= local_nodes_);
    };
    const auto seat = std::ranges::find_if(nodes_, free);
    return seat == nodes_.end() ? nullptr : &*seat;
}

std::optional<NodeCheckpoint> Launch::resume_of(std::int64_t rank) const {
    if (!options_.resume) return std::nullopt;
    auto checkpoint = options_.resume->nodes.at(static_cast<std::size_t>(rank));
    if (checkpoint.tensors.empty()) checkpoint.tensors = options_.resume->nodes.front().tensors;
    return checkpoint;
}

void Launch::assign_work() {
    std::vector<std::string> peers;
    int most_threads = 1;
    for (const auto& node : nodes_) {
        peers.push_back(node.fabric);
        most_threads = std::max(most_threads, node.info.threads);
    }
    const auto run_token = random_token();
    for (auto& node : nodes_) {
        messages::Assign assign{.assignment = {.rank = node.info.rank,
                                               .world_size = std::ssize(nodes_),
                                               .spec = options_.spec,
                                               .data_folder = options_.data_folder,
                                               .threads = node.info.threads,
                                               .layout_threads = most_threads,
                                               .resume = resume_of(node.info.rank)},
                                .peers = peers,
                                .run_token = run_token,
                                .proof = node.proof};
        send(node, messages::encode(assign));
        begin_probes(node);
    }
    assigned_ = true;
}

}  // namespace convoy
