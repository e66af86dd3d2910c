#include "net/tcp_fabric.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "net/hello_exchange.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

using Fabrics = std::vector<std::unique_ptr<convoy::Fabric>>;
using FabricFuture = std::future<Fabrics>;

const convoy::RunSecret run_1{.run = {std::byte{1}}, .key = {std::byte{1}}},
    run_2{.run = {std::byte{2}}, .key = {std::byte{2}}};

/// Ranks that listen over loopback, all on this thread.
struct Nodes {
    asio::io_context io{1};
    std::vector<tcp::acceptor> listening;
    std::vector<tcp::endpoint> endpoints;

    explicit Nodes(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            listening.push_back(convoy::listen_on(io.get_executor(), asio::ip::address_v4::loopback()));
            endpoints.push_back(listening.back().local_endpoint());
        }
    }

    convoy::TcpFabricOptions options(std::size_t rank) const {
        convoy::TcpFabricOptions made{
            .rank = static_cast<std::int64_t>(rank), .endpoints = endpoints, .secret = run_1};
        made.formation_deadline = 60s;
        const auto count = static_cast<std::int64_t>(endpoints.size());
        if (count > 1) {  // a ring
            made.send_to = {(made.rank + 1) % count};
            made.receive_from = {(made.rank + count - 1) % count};
        }
        return made;
    }

    FabricFuture form(std::size_t rank, convoy::TcpFabricOptions with) {
        return asio::co_spawn(io, convoy::form_tcp_fabrics(std::move(listening[rank]), std::move(with)),
                              asio::use_future);
    }

    template <typename Value>
    Value finish(std::future<Value> future) {
        io.restart();
        while (future.wait_for(0s) != std::future_status::ready) io.run_one();
        return future.get();
    }

    /// A connection to a rank that is not one of the ring's.
    tcp::socket stranger(std::size_t rank) {
        tcp::socket socket(io);
        socket.connect(endpoints[rank]);
        return socket;
    }
    /// Lets a stranger do its part of a handshake. The socket must outlive it.
    std::future<convoy::Session> say(tcp::socket& socket, const convoy::Hello& hello,
                                     const convoy::RunSecret& secret) {
        return asio::co_spawn(io, convoy::say_hello(socket, hello, secret.key, "the node"), asio::use_future);
    }
};

std::vector<std::unique_ptr<convoy::Fabric>> form_all(Nodes& nodes) {
    std::vector<FabricFuture> futures;
    for (std::size_t rank = 0; rank < nodes.endpoints.size(); ++rank) {
        futures.push_back(nodes.form(rank, nodes.options(rank)));
    }
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics;
    for (auto& future : futures) fabrics.push_back(std::move(nodes.finish(std::move(future)).front()));
    return fabrics;
}

}  // namespace

TEST_CASE("every rank is linked to its neighbours, for one node and more") {
    const std::size_t count = GENERATE(1, 2, 3, 8);
    Nodes nodes(count);
    const auto fabrics = form_all(nodes);
    for (std::size_t rank = 0; rank < count && count > 1; ++rank) {
        const auto right = (rank + 1) % count;
        auto& to = fabrics[rank]->to(static_cast<std::int64_t>(right));
        auto& from = fabrics[right]->from(static_cast<std::int64_t>(rank));
        CHECK(to.peer() == "node " + std::to_string(right) +
                               " (127.0.0.1:" + std::to_string(nodes.endpoints[right].port()) + ")");
        const std::array<std::byte, 2> sent{std::byte{1}, std::byte(rank)};
        std::array<std::byte, 2> received{};
        nodes.finish(asio::co_spawn(nodes.io, to.write(sent, {}), asio::use_future));
        nodes.finish(asio::co_spawn(nodes.io, from.read(received), asio::use_future));
        CHECK(received == sent);
        CHECK(to.sent_bytes() == 2);
        CHECK(from.received_bytes() == 2);
    }
    if (count == 1) CHECK_THROWS_AS(fabrics[0]->to(0), convoy::InternalError);
}

TEST_CASE("two ranks may have several connections, each of a fabric of its own") {
    Nodes nodes(2);
    std::vector<FabricFuture> futures;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        auto options = nodes.options(rank);
        options.connections = 3;
        futures.push_back(nodes.form(rank, options));
    }
    const auto left = nodes.finish(std::move(futures[0]));
    const auto right = nodes.finish(std::move(futures[1]));
    REQUIRE(left.size() == 3);
    REQUIRE(right.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const std::array<std::byte, 1> sent{std::byte(i)};
        std::array<std::byte, 1> received{};
        nodes.finish(asio::co_spawn(nodes.io, left[i]->to(1).write(sent, {}), asio::use_future));
        nodes.finish(asio::co_spawn(nodes.io, right[i]->from(0).read(received), asio::use_future));
        CHECK(received == sent);
    }
}

TEST_CASE("as many connections form as there may be, between as many nodes") {
    const std::int64_t count = 8;
    Nodes nodes(count);
    std::vector<FabricFuture> futures;
    for (std::int64_t rank = 0; rank < count; ++rank) {
        auto options = nodes.options(static_cast<std::size_t>(rank));
        options.connections = 16;
        options.send_to.clear();
        for (std::int64_t peer = 0; peer < count; ++peer) {
            if (peer != rank) options.send_to.push_back(peer);
        }
        options.receive_from = options.send_to;
        futures.push_back(nodes.form(static_cast<std::size_t>(rank), options));
    }
    for (auto& future : futures) CHECK(nodes.finish(std::move(future)).size() == 16);
}

TEST_CASE("nodes that count on different numbers of connections do not form") {
    Nodes nodes(2);
    auto more = nodes.options(0);
    more.connections = 2;
    more.formation_deadline = 200ms;
    auto first = nodes.form(0, more);
    auto second = nodes.form(1, nodes.options(1));
    CHECK_THROWS_AS(nodes.finish(std::move(first)), convoy::ClusterError);
    CHECK_NOTHROW(nodes.finish(std::move(second)));
}

TEST_CASE("any set of peers can be linked") {
    Nodes nodes(3);
    std::vector<FabricFuture> futures;
    for (std::size_t rank = 0; rank < 3; ++rank) {
        auto options = nodes.options(rank);
        options.send_to.clear();
        for (std::int64_t peer = 0; peer < 3; ++peer) {
            if (peer != options.rank) options.send_to.push_back(peer);
        }
        options.receive_from = options.send_to;
        futures.push_back(nodes.form(rank, options));
    }
    for (auto& future : futures) {
        const auto fabric = std::move(nodes.finish(std::move(future)).front());
        for (std::int64_t peer = 0; peer < 3; ++peer) {
            if (peer == fabric->rank()) continue;
            CHECK_NOTHROW(fabric->to(peer));
            CHECK_NOTHROW(fabric->from(peer));
        }
    }
}

TEST_CASE("strangers are dropped and the ring forms all the same") {
    Nodes nodes(2);
    auto silent = nodes.stranger(0), garbage = nodes.stranger(0), foreign = nodes.stranger(0),
         twin = nodes.stranger(0), brief = nodes.stranger(0);
    asio::write(
        garbage,
        asio::buffer(std::string("GET / HTTP/1.1\r\nHost: somewhere.example\r\nAccept: */*\r\n\r\n")));
    auto foreign_end = nodes.say(foreign, {.world_size = 2, .from_rank = 1, .to_rank = 0}, run_2);
    auto twin_end = nodes.say(twin, {.world_size = 2, .from_rank = 1, .to_rank = 1}, run_1);
    brief.close();
    CHECK(form_all(nodes).size() == 2);
    CHECK_THROWS_AS(nodes.finish(std::move(foreign_end)), convoy::ClusterError);
    CHECK_THROWS_AS(nodes.finish(std::move(twin_end)), convoy::HungUpError);
}

TEST_CASE("a crowd of strangers that say nothing keeps no peer out, and holds nobody up") {
    Nodes nodes(2);
    std::vector<tcp::socket> silent;
    for (int i = 0; i < 500; ++i) silent.push_back(nodes.stranger(0));
    const auto began = convoy::Clock::now();
    CHECK(form_all(nodes).size() == 2);
    CHECK(convoy::Clock::now() - began < convoy::WaitingRoom::patience);
}

TEST_CASE("a connection that is dropped without a word is tried again") {
    Nodes nodes(2);
    auto first = nodes.form(0, nodes.options(0));
    for (int i = 0; i < 3; ++i)
        nodes.finish(asio::co_spawn(
            nodes.io,
            [&]() -> asio::awaitable<void> {
                auto dropped = co_await nodes.listening[1].async_accept(asio::use_awaitable);
                dropped.close();
            },
            asio::use_future));
    auto second = nodes.form(1, nodes.options(1));
    CHECK(nodes.finish(std::move(first)).size() == 1);
    CHECK(nodes.finish(std::move(second)).size() == 1);
}

TEST_CASE("a node that does not come is named at the deadline, with what was refused meanwhile") {
    Nodes nodes(3);
    auto foreign = nodes.stranger(1);
    auto refused = nodes.say(foreign, {.world_size = 3, .from_rank = 0, .to_rank = 1}, run_2);
    auto options = nodes.options(1);
    options.formation_deadline = 100ms;
    auto future = nodes.form(1, options);
    try {
        nodes.finish(std::move(future));
        FAIL("formed without its peers");
    } catch (const convoy::ClusterError& error) {
        CHECK_THAT(error.what(), Catch::StartsWith("node 0 (127.0.0.1:") &&
                                     Catch::Contains("node 2 (127.0.0.1:") &&
                                     Catch::Contains("within 0.1 s") && Catch::Contains("is of another run"));
    }
    CHECK_THROWS_AS(nodes.finish(std::move(refused)), convoy::ClusterError);
}

TEST_CASE("a peer that is not there is named") {
    Nodes nodes(2);
    nodes.listening[1].close();
    CHECK_THROWS_WITH(nodes.finish(nodes.form(0, nodes.options(0))),
                      Catch::StartsWith("node 1 (127.0.0.1:") && Catch::Contains("cannot be reached"));
}

TEST_CASE("nodes that count the cluster differently disagree") {
    Nodes nodes(2);
    auto more = nodes.options(1);
    more.endpoints.push_back(nodes.endpoints[0]);
    auto first = nodes.form(0, nodes.options(0));
    auto second = nodes.form(1, more);
    CHECK_THROWS_AS(nodes.finish(std::move(first)), convoy::DisagreementError);
    CHECK_THROWS_AS(nodes.finish(std::move(second)), convoy::Error);
}

TEST_CASE("an address of another machine cannot be listened on") {
    asio::io_context io;
    CHECK_THROWS_AS(convoy::listen_on(io.get_executor(), asio::ip::make_address("240.0.0.1")),
                    convoy::ClusterError);
}

TEST_CASE("links of a run under TLS carry frames, and a node without TLS is not let in") {
    Nodes nodes(2);
    const auto options = [&](std::size_t rank, bool with_tls) {
        auto made = nodes.options(rank);
        if (with_tls) made.tls.emplace();
        return made;
    };
    SECTION("both have it") {
        auto first = nodes.form(0, options(0, true)), second = nodes.form(1, options(1, true));
        const auto here = nodes.finish(std::move(first)), there = nodes.finish(std::move(second));
        auto& to = here.front()->to(1);
        auto& from = there.front()->from(0);
        CHECK_FALSE(to.is_sealed());
        const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
        std::array<std::byte, 3> received{};
        nodes.finish(asio::co_spawn(nodes.io, to.write(sent, {}), asio::use_future));
        nodes.finish(asio::co_spawn(nodes.io, from.read(received), asio::use_future));
        CHECK(received == sent);
        CHECK(to.sent_bytes() == sent.size() + 22);
    }
    SECTION("one has it") {
        auto first = nodes.form(0, options(0, true)), second = nodes.form(1, options(1, false));
        CHECK_THROWS_AS(nodes.finish(std::move(first)), convoy::DisagreementError);
        CHECK_THROWS_AS(nodes.finish(std::move(second)), convoy::DisagreementError);
    }
}
