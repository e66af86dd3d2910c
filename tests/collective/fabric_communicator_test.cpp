#include "collective/fabric_communicator.hpp"

#include <algorithm>
#include <array>
#include <barrier>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "exchange/algorithms.hpp"
#include "net/io_thread.hpp"
#include "net/tcp_fabric.hpp"

namespace asio = boost::asio;
const convoy::Exchange ring_exchange{
    .options = {.algorithm = convoy::AllReduceAlgorithm::ring, .segment_bytes = 1 << 16}};
using namespace std::chrono_literals;

namespace {

/// A node of a ring over loopback TCP, with a network thread of its own, as in a worker process.
struct Node {
    std::unique_ptr<convoy::IoThread> io;
    std::unique_ptr<convoy::FabricCommunicator> communicator;
};

std::vector<Node> form(std::size_t count, convoy::FabricOptions fabric = {},
                       std::chrono::microseconds spin = 0us) {
    std::vector<Node> nodes(count);
    std::vector<asio::ip::tcp::acceptor> acceptors;
    std::vector<asio::ip::tcp::endpoint> endpoints;
    for (auto& node : nodes) {
        node.io = std::make_unique<convoy::IoThread>();
        node.io->set_spin(spin, spin);
        acceptors.push_back(
            convoy::listen_on(node.io->context().get_executor(), asio::ip::address_v4::loopback()));
        endpoints.push_back(acceptors.back().local_endpoint());
    }
    std::vector<std::future<std::vector<std::unique_ptr<convoy::Fabric>>>> futures;
    for (std::size_t rank = 0; rank < count; ++rank) {
        convoy::TcpFabricOptions options{
            .rank = static_cast<std::int64_t>(rank), .endpoints = endpoints, .secret = {}, .fabric = fabric};
        options.send_to = options.receive_from =
            convoy::partners_of(options.rank, convoy::HostMap(static_cast<std::int64_t>(count)));
        futures.push_back(asio::co_spawn(nodes[rank].io->context(),
                                         convoy::form_tcp_fabrics(std::move(acceptors[rank]), options),
                                         asio::use_future));
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
        nodes[rank].communicator =
            std::make_unique<convoy::FabricCommunicator>(*nodes[rank].io, futures[rank].get());
    }
    return nodes;
}

/// Runs work once per rank, each in a thread of its own, and waits for all.
void on_all(std::vector<Node>& nodes,
            const std::function<void(std::size_t, convoy::FabricCommunicator&)>& work) {
    std::vector<std::future<void>> threads;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        threads.push_back(
            std::async(std::launch::async, [&, rank] { work(rank, *nodes[rank].communicator); }));
    }
    for (auto& thread : threads) thread.get();
}

}  // namespace

TEST_CASE("ranks as threads sum over TCP, several collectives under way at once") {
    const std::size_t ranks = GENERATE(1, 2, 3, 5);
    const auto spin = GENERATE(0us, 50us);
    CAPTURE(ranks, spin.count());
    auto nodes = form(ranks, {}, spin);
    const std::array<std::size_t, 4> sizes{1'000'003, 1, 4096, 77'777};
    std::vector<std::vector<std::vector<float>>> results(ranks);
    on_all(nodes, [&](std::size_t rank, convoy::FabricCommunicator& communicator) {
        auto& buffers = results[rank];
        for (const auto size : sizes) {
            buffers.emplace_back(size);
            for (std::size_t i = 0; i < size; ++i)
                buffers.back()[i] = 0.1F * static_cast<float>(i % 97 + rank);
        }
        std::vector<convoy::Ticket> tickets;
        for (auto& buffer : buffers) tickets.push_back(communicator.start(buffer, ring_exchange));
        std::reverse(tickets.begin(), tickets.end());
        for (const auto ticket : tickets) {
            const auto times = communicator.wait(ticket);
            if (times.started > times.began || times.began > times.peers_began ||
                times.peers_began > times.finished) {
                throw convoy::InternalError("times out of order");
            }
        }
    });
    for (std::size_t which = 0; which < sizes.size(); ++which) {
        double largest = 0.0;
        bool same = true;
        for (std::size_t i = 0; i < sizes[which]; ++i) {
            double sum = 0.0;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                sum += static_cast<double>(0.1F * static_cast<float>(i % 97 + rank));
            }
            largest = std::max(largest, std::abs(static_cast<double>(results[0][which][i]) - sum));
        }
        for (const auto& each : results) {
            same = same && std::memcmp(each[which].data(), results[0][which].data(),
                                       sizes[which] * sizeof(float)) == 0;
        }
        CHECK(largest < 2e-5);
        CHECK(same);
    }
    const auto traffic = nodes[0].communicator->traffic();
    CHECK((traffic.sent_bytes > 0) == (ranks > 1));
}

TEST_CASE("1 to 5 ranks sum the greatest over TCP, several collectives under way at once") {
    const std::size_t ranks = GENERATE(1, 2, 3, 4, 5);
    CAPTURE(ranks);
    auto nodes = form(ranks);
    constexpr std::size_t buckets = 3, steps = 3, size = 10'000;
    // Every gradient is 1, but for each rank's own places: those go first, and the others in their order.
    std::vector<std::vector<std::vector<float>>> sums(ranks), residuals(ranks);
    on_all(nodes, [&](std::size_t rank, convoy::FabricCommunicator& communicator) {
        residuals[rank].assign(buckets, std::vector<float>(size));
        for (std::size_t step = 0; step < steps; ++step) {
            sums[rank].assign(buckets, std::vector<float>(size, 1.0F));
            std::vector<convoy::Ticket> tickets;
            for (std::size_t i = 0; i < buckets; ++i) {
                sums[rank][i][9000 + rank] = -100.0F;
                tickets.push_back(communicator.start(
                    convoy::SparsifiedBuffer{sums[rank][i], residuals[rank][i]},
                    {.options = {.wire_type = convoy::WireType::top_k, .top_k = {0.001}}}));
            }
            for (const auto ticket : tickets) communicator.wait(ticket);
        }
    });
    // Ten entries in each step: the own place, and nine of what has waited longest.
    std::vector<float> expected(size);
    for (std::size_t rank = 0; rank < ranks; ++rank) expected[9000 + rank] = -100.0F;
    for (std::size_t i = 0; i < 9; ++i) expected[18 + i] = 3.0F * static_cast<float>(ranks);
    for (const auto& each : sums)
        for (const auto& bucket : each) CHECK(bucket == expected);
    for (const auto& kept : residuals[0]) {
        CHECK(kept[9000] == 0.0F);
        CHECK(kept[0] == 2.0F);
        CHECK(kept[26] == 0.0F);
        CHECK(kept[27] == 3.0F);
    }
}

TEST_CASE("nodes that disagree on the size all end with code 76, and stay so") {
    const std::size_t ranks = GENERATE(2, 4);
    auto nodes = form(ranks);
    on_all(nodes, [&](std::size_t rank, convoy::FabricCommunicator& communicator) {
        std::vector<float> buffer(rank == 0 ? 1'000'000 : 999'999);
        const auto [code, text] =
            ending([&] { communicator.wait(communicator.start(buffer, ring_exchange)); });
        const auto again = ending([&] { communicator.start(buffer, ring_exchange); });
        if (code != 76 || again.code != 76 || text != again.text)
            throw convoy::InternalError(text + again.text);
    });
}

TEST_CASE("a node that goes away in the middle is named on all others") {
    const std::size_t ranks = GENERATE(2, 4);
    auto nodes = form(ranks);
    const auto lost = ranks - 1;
    std::barrier all_done(static_cast<std::ptrdiff_t>(ranks));
    on_all(nodes, [&](std::size_t rank, convoy::FabricCommunicator& communicator) {
        std::vector<float> buffer(500'000);
        communicator.wait(communicator.start(buffer, ring_exchange));
        all_done.arrive_and_wait();
        const auto before = nodes[lost - 1].communicator->traffic().sent_bytes;
        all_done.arrive_and_wait();
        if (rank == lost) {  // its left neighbour sends to it when its links close
            while (nodes[lost - 1].communicator->traffic().sent_bytes == before) std::this_thread::yield();
            nodes[rank].communicator.reset();
            return;
        }
        const auto [code, text] =
            ending([&] { communicator.wait(communicator.start(buffer, ring_exchange)); });
        if (code != 74 || text.rfind("node " + std::to_string(lost), 0) != 0)
            throw convoy::InternalError(text);
    });
}

TEST_CASE("a node that says nothing passes the deadline, by name") {
    auto nodes = form(2, {.deadline = 100ms, .grace = 50ms});
    std::vector<float> buffer(1000);
    auto& communicator = *nodes[0].communicator;
    const auto [code, text] = ending([&] { communicator.wait(communicator.start(buffer, ring_exchange)); });
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 1 (127.0.0.1:") && Catch::Contains("nothing received"));
}

TEST_CASE("what was learned elsewhere ends the collectives under way and to come") {
    auto nodes = form(2);
    std::vector<float> buffer(1000), second(1000);
    auto& communicator = *nodes[0].communicator;
    const auto first = communicator.start(buffer, ring_exchange);
    const auto queued = communicator.start(second, ring_exchange);
    communicator.abort(std::make_exception_ptr(convoy::NodeLostError("node 1: killed")));
    CHECK_THROWS_WITH(communicator.wait(first), "node 1: killed");
    CHECK_THROWS_WITH(communicator.wait(queued), "node 1: killed");
    CHECK_THROWS_WITH(communicator.start(buffer, ring_exchange), "node 1: killed");
}

TEST_CASE("a communicator goes away with collectives under way") {
    auto nodes = form(2);
    std::vector<float> buffer(1'000'000), second(1000);
    nodes[0].communicator->start(buffer, ring_exchange);
    nodes[0].communicator->start(second, ring_exchange);
    CHECK_NOTHROW(nodes[0].communicator.reset());
}

TEST_CASE("a collective begins when the one before it is finished") {
    auto nodes = form(2);
    on_all(nodes, [](std::size_t, convoy::FabricCommunicator& communicator) {
        std::vector<float> first(100'000), second(1000);
        const auto a = communicator.start(first, ring_exchange);
        const auto b = communicator.start(second, ring_exchange);
        const auto times = communicator.wait(a);
        const auto queued = communicator.wait(b);
        if (queued.began < times.finished || queued.started > queued.began)
            throw convoy::InternalError("the second began before its turn");
    });
}

TEST_CASE("draining ends what is under way, and nothing uses the buffer afterwards") {
    auto nodes = form(2);
    auto& communicator = *nodes[0].communicator;
    auto buffer = std::make_unique<std::vector<float>>(1'000'000);
    const auto ticket = communicator.start(*buffer, ring_exchange);
    communicator.drain();
    buffer.reset();
    CHECK_THROWS_AS(communicator.wait(ticket), convoy::NodeLostError);
    CHECK_THROWS_AS(communicator.start({}, ring_exchange), convoy::NodeLostError);
}

TEST_CASE("draining is harmless where nothing is under way") {
    auto nodes = form(2);
    on_all(nodes, [](std::size_t, convoy::FabricCommunicator& communicator) {
        std::vector<float> buffer(1000);
        communicator.drain();
        communicator.wait(communicator.start(buffer, ring_exchange));
        communicator.drain();
        communicator.wait(communicator.start(buffer, ring_exchange));
    });
}

TEST_CASE("the calling thread may do the sum itself, between sums in the background") {
    const std::size_t ranks = GENERATE(1, 2, 3, 5);
    const auto spin = GENERATE(0us, 50us);
    auto nodes = form(ranks, {}, spin);
    on_all(nodes, [&](std::size_t rank, convoy::FabricCommunicator& communicator) {
        std::vector<float> background(200'000, 1.0F), here(1000);
        const auto n = static_cast<float>(ranks);
        for (int i = 0; i < 20; ++i) {
            std::ranges::fill(here, static_cast<float>(rank + 1));
            std::ranges::fill(background, 1.0F);
            const bool both = i % 3 == 0;
            convoy::Ticket ticket{};
            if (both) ticket = communicator.start(background, ring_exchange);
            communicator.run(here, {});
            if (both) communicator.wait(ticket);
            if (here[999] != n * (n + 1) / 2 || background[0] != (both ? n : 1.0F))
                throw convoy::InternalError("a wrong sum");
        }
    });
}

TEST_CASE("a failure ends a sum in the calling thread") {
    auto nodes = form(2, {.deadline = 100ms, .grace = 50ms});
    std::vector<float> buffer(1000);
    CHECK_THROWS_AS(nodes[0].communicator->run(buffer, ring_exchange), convoy::DeadlineError);
    CHECK_THROWS_AS(nodes[0].communicator->run(buffer, ring_exchange), convoy::DeadlineError);
}

TEST_CASE("a ticket is good for one wait") {
    auto nodes = form(1);
    std::vector<float> buffer(10, 1.0F);
    const auto ticket = nodes[0].communicator->start(buffer, ring_exchange);
    CHECK_NOTHROW(nodes[0].communicator->wait(ticket));
    CHECK_THROWS_AS(nodes[0].communicator->wait(ticket), convoy::InternalError);
}
