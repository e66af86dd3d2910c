#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/fabric_communicator.hpp"
#include "exchange/algorithms.hpp"
#include "net/frame.hpp"
#include "net/io_thread.hpp"
#include "net/memory_channel.hpp"
#include "net/tcp_fabric.hpp"

using namespace convoy;
namespace asio = boost::asio;

namespace {

struct ConnectedNode {
    std::unique_ptr<IoThread> io = std::make_unique<IoThread>();
    std::unique_ptr<FabricCommunicator> connections;
};

/// Nodes over loopback TCP, with so many connections from each to each.
std::vector<ConnectedNode> connected(std::size_t count, std::int64_t connections,
                                     const FabricOptions& fabric = {}) {
    std::vector<ConnectedNode> nodes(count);
    std::vector<asio::ip::tcp::acceptor> acceptors;
    TcpFabricOptions options;
    options.connections = connections;
    options.fabric = fabric;
    for (auto& node : nodes) {
        acceptors.push_back(listen_on(node.io->context().get_executor(), asio::ip::address_v4::loopback()));
        options.endpoints.push_back(acceptors.back().local_endpoint());
    }
    std::vector<std::future<std::vector<std::unique_ptr<Fabric>>>> futures;
    for (std::size_t rank = 0; rank < count; ++rank) {
        options.rank = static_cast<std::int64_t>(rank);
        options.send_to = options.receive_from =
            partners_of(options.rank, convoy::HostMap(static_cast<std::int64_t>(count)));
        futures.push_back(asio::co_spawn(nodes[rank].io->context(),
                                         form_tcp_fabrics(std::move(acceptors[rank]), options),
                                         asio::use_future));
    }
    for (std::size_t rank = 0; rank < count; ++rank)
        nodes[rank].connections = std::make_unique<FabricCommunicator>(*nodes[rank].io, futures[rank].get());
    return nodes;
}

Exchange on(std::int64_t connection) {
    Exchange exchange;
    exchange.options.connection = connection;
    return exchange;
}

}  // namespace

TEST_CASE("a sum on one connection does not wait for one on another") {
    auto nodes = connected(2, 2);
    std::vector<float> large(1000, 1.0F), small(10, 2.0F);
    std::vector<float> others_large(1000, 1.0F), others_small(10, 2.0F);
    auto& here = *nodes[0].connections;
    auto& there = *nodes[1].connections;
    // There the large one is not even started before the small one is done everywhere.
    const auto first = here.start(large, on(0));
    const auto second = here.start(small, on(1));
    there.wait(there.start(others_small, on(1)));
    here.wait(second);
    CHECK(small.back() == 4.0F);
    there.wait(there.start(others_large, on(0)));
    here.wait(first);
    CHECK(large.back() == 2.0F);
    CHECK(others_large == large);
    CHECK(here.traffic().sent_bytes > 0);
}

TEST_CASE("sums in the calling thread and in the background, on any connection") {
    const std::size_t ranks = GENERATE(1, 2, 3);
    auto nodes = connected(ranks, 3);
    std::vector<std::future<void>> threads;
    for (auto& node : nodes) {
        threads.push_back(std::async(std::launch::async, [&, ranks] {
            auto& communicator = *node.connections;
            for (int i = 0; i < 10; ++i) {
                std::vector<float> a(50'000, 1.0F), b(700, 1.0F), c(3, 1.0F);
                const auto first = communicator.start(a, on(2));
                const auto second = communicator.start(b, on(i % 2));
                communicator.run(c, on(1 - i % 2));
                communicator.wait(second);
                communicator.wait(first);
                const auto sum = static_cast<float>(ranks);
                if (a[49'999] != sum || b[699] != sum || c[2] != sum) throw InternalError("a wrong sum");
            }
        }));
    }
    for (auto& thread : threads) CHECK_NOTHROW(thread.get());
}

TEST_CASE("what fails on one connection ends all, with the same error") {
    auto nodes = connected(2, 2, {std::chrono::milliseconds(100), std::chrono::milliseconds(50)});
    auto& here = *nodes[0].connections;
    std::vector<float> buffer(1000), other(1000);
    const auto late = here.start(buffer, on(1));  // which the other node never starts
    CHECK_THROWS_AS(here.wait(late), DeadlineError);
    CHECK_THROWS_AS(here.start(other, on(0)), DeadlineError);
    CHECK_NOTHROW(here.drain());
}

TEST_CASE("a later failure on another connection does not hide the first one") {
    IoThread io;
    const auto executor = io.context().get_executor();
    std::vector<std::unique_ptr<Channel>> outgoing, incoming;  // ends of the peer, which reads nothing
    std::vector<std::unique_ptr<Fabric>> fabrics;
    // The sum on connection 0 stays in its send until the grace is over. The sum on connection 1 is sent.
    for (const auto* peer : {"the first", "the second"}) {
        auto& fabric = fabrics.emplace_back(std::make_unique<Fabric>(
            executor, 0, 2,
            FabricOptions{.deadline = std::chrono::seconds(20), .grace = std::chrono::milliseconds(50)}));
        auto [to, taker] = make_memory_link(executor, "node 0", peer, fabrics.size() == 1 ? 1000 : 100'000);
        auto [from, giver] = make_memory_link(executor, "node 0", peer, 1000);
        fabric->link_to(1, std::move(to));
        fabric->link_from(1, std::move(from));
        outgoing.push_back(std::move(giver));
        incoming.push_back(std::move(taker));
    }
    FabricCommunicator communicator(io, std::move(fabrics));
    std::vector<float> buffer(1000), other(1000);
    const auto sum_of = [](std::int64_t connection) {
        auto exchange = on(connection);
        exchange.options.algorithm = AllReduceAlgorithm::recursive_doubling;
        return exchange;
    };
    const auto first = communicator.start(buffer, sum_of(0));
    const auto second = communicator.start(other, sum_of(1));
    asio::post(io.context(), [&] {
        for (const auto& channel : outgoing) channel->close();
    });
    for (const auto ticket : {second, first}) {
        const auto [code, text] = ending([&] { communicator.wait(ticket); });
        CHECK(code == static_cast<int>(ExitCode::node_lost));
        CHECK(text == "the first: closed the connection; the node is lost");
    }
}

namespace {

/// Node 0 of three, with connections to node 1, which reads what it is sent, and from node 2, which is lost.
class NodeThatTells {
  public:
    /// Node 1 is linked on the first `linked` of the connections only.
    explicit NodeThatTells(std::size_t connections, std::size_t linked)
        : communicator_(io_, fabrics_of(connections, linked)) {}
    [[nodiscard]] FabricCommunicator& communicator() { return communicator_; }
    /// Loses node 2 on this connection, and returns when the communicator knows it, as its error.
    Ending lose_node_2(std::size_t connection) {
        asio::post(io_.context(), [this, connection] { lost_[connection]->close(); });
        const Exchange receive{.verb = ExchangeVerb::receive,
                               .root = 2,
                               .options = {.connection = static_cast<std::int64_t>(connection)}};
        Ending failed;
        while (failed.code == 0) failed = ending([&] { communicator_.start(never_comes_, receive); });
        return failed;
    }
    /// The next frame that node 1 reads. Throws NodeLostError if node 0 has closed the connection.
    FrameKind next(std::size_t connection) {
        return asio::co_spawn(io_.context(), read_frame(*readers_.at(connection)), asio::use_future).get();
    }

  private:
    std::vector<std::unique_ptr<Fabric>> fabrics_of(std::size_t connections, std::size_t linked) {
        const auto executor = io_.context().get_executor();
        std::vector<std::unique_ptr<Fabric>> fabrics;
        for (std::size_t connection = 0; connection < connections; ++connection) {
            auto& fabric = fabrics.emplace_back(std::make_unique<Fabric>(
                executor, 0, 3,
                FabricOptions{.deadline = std::chrono::seconds(20), .grace = std::chrono::seconds(20)}));
            auto [from, sender] = make_memory_link(executor, "node 0", "node 2", 100);
            fabric->link_from(2, std::move(from));
            lost_.push_back(std::move(sender));
            if (connection >= linked) continue;
            auto [to, reader] = make_memory_link(executor, "node 0", "node 1", 100);
            fabric->link_to(1, std::move(to));
            readers_.push_back(std::move(reader));
        }
        return fabrics;
    }
    static asio::awaitable<FrameKind> read_frame(Channel& reader) {
        FrameHeaderBytes header{};
        co_await reader.read(header);
        const auto found = decode_frame_header(header, 1 << 20, "node 0");
        std::vector<std::byte> payload(found.payload_bytes);
        co_await reader.read(payload);
        co_return found.kind;
    }

    IoThread io_;
    std::vector<float> never_comes_ = std::vector<float>(10);
    std::vector<std::unique_ptr<Channel>> readers_, lost_;  // ends of node 1 and of node 2, by connection
    FabricCommunicator communicator_;
};

}  // namespace

TEST_CASE("a node that ends after a failure first tells all peers, also one that still reads a frame of it") {
    NodeThatTells node(2, 2);
    std::vector<float> buffer(3000);
    auto ring = on(0);
    ring.options.algorithm = AllReduceAlgorithm::ring;
    node.communicator().start(buffer, ring);
    CHECK(node.lose_node_2(0).text == "node 2: closed the connection; the node is lost");

    auto drained = std::async(std::launch::async, [&] { node.communicator().drain(); });
    CHECK(drained.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    CHECK(node.next(1) == FrameKind::failure);  // where no exchange was under way
    CHECK_THROWS_AS(node.next(1), NodeLostError);
    CHECK(node.next(0) == FrameKind::collective);
    CHECK(node.next(0) == FrameKind::failure);
    CHECK_THROWS_AS(node.next(0), NodeLostError);
}

TEST_CASE("an exchange that only sends tells its peer of a failure on another connection") {
    NodeThatTells node(2, 2);
    std::vector<float> sent(3000);
    const auto message = node.communicator().start(
        sent, {.verb = ExchangeVerb::send, .root = 1, .options = {.connection = 1}});
    CHECK(node.lose_node_2(0).text == "node 2: closed the connection; the node is lost");
    CHECK(node.next(0) == FrameKind::failure);
    CHECK(node.next(1) == FrameKind::collective);
    CHECK(node.next(1) == FrameKind::failure);
    CHECK_THROWS_AS(node.next(1), NodeLostError);
    CHECK_NOTHROW(node.communicator().wait(message));  // it was sent before the failure was told
}

TEST_CASE("a connection on which a node only receives has nobody to tell") {
    NodeThatTells node(2, 1);
    CHECK(node.lose_node_2(0).text == "node 2: closed the connection; the node is lost");
    CHECK(node.next(0) == FrameKind::failure);
    CHECK_NOTHROW(node.communicator().drain());
}

TEST_CASE("connections go away with sums under way on some of them") {
    auto nodes = connected(2, 3);
    std::vector<float> buffer(1'000'000), other(10);
    nodes[0].connections->start(buffer, on(0));
    nodes[0].connections->start(other, on(2));
    CHECK_NOTHROW(nodes[0].connections.reset());
}

TEST_CASE("a connection that there is not is a bug") {
    auto nodes = connected(1, 2);
    std::vector<float> buffer(1);
    CHECK_THROWS_AS(nodes[0].connections->start(buffer, on(2)), InternalError);
}
