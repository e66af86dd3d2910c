#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <vector>

#include "collective/fabric_communicator.hpp"
#include "net/io_thread.hpp"
#include "net/memory_fabric.hpp"
#include "net/tcp_fabric.hpp"

/// Nodes of a test, each with a communicator that has a link each way to every other one.
struct Nodes {
    std::vector<std::unique_ptr<convoy::IoThread>> io;
    std::vector<std::unique_ptr<convoy::FabricCommunicator>> communicators;

    [[nodiscard]] convoy::FabricCommunicator& operator[](std::size_t rank) { return *communicators[rank]; }
    [[nodiscard]] std::size_t size() const { return communicators.size(); }

    /// Runs work once per rank, each in a thread of its own, and waits for all. Throws what one of them
    /// throws.
    void on_all(const std::function<void(std::int64_t, convoy::FabricCommunicator&)>& work) {
        std::vector<std::future<void>> threads;
        for (std::size_t rank = 0; rank < size(); ++rank) {
            threads.push_back(std::async(std::launch::async, [this, rank, &work] {
                work(static_cast<std::int64_t>(rank), *communicators[rank]);
            }));
        }
        for (auto& thread : threads) thread.wait();
        for (auto& thread : threads) thread.get();
    }
};

inline std::vector<std::int64_t> all_but(std::int64_t rank, std::size_t count) {
    std::vector<std::int64_t> others(count);
    std::iota(others.begin(), others.end(), std::int64_t{0});
    std::erase(others, rank);
    return others;
}

/// Over loopback TCP, with a network thread for each, as in worker processes.
inline Nodes tcp_nodes(std::size_t count, const convoy::FabricOptions& fabric = {},
                       std::int64_t connections = 1) {
    namespace asio = boost::asio;
    Nodes nodes;
    std::vector<asio::ip::tcp::acceptor> acceptors;
    convoy::TcpFabricOptions options;
    options.connections = connections;
    options.fabric = fabric;
    for (std::size_t rank = 0; rank < count; ++rank) {
        nodes.io.push_back(std::make_unique<convoy::IoThread>());
        acceptors.push_back(
            convoy::listen_on(nodes.io[rank]->context().get_executor(), asio::ip::address_v4::loopback()));
        options.endpoints.push_back(acceptors.back().local_endpoint());
    }
    std::vector<std::future<std::vector<std::unique_ptr<convoy::Fabric>>>> futures;
    for (std::size_t rank = 0; rank < count; ++rank) {
        options.rank = static_cast<std::int64_t>(rank);
        options.send_to = options.receive_from = all_but(options.rank, count);
        futures.push_back(asio::co_spawn(nodes.io[rank]->context(),
                                         convoy::form_tcp_fabrics(std::move(acceptors[rank]), options),
                                         asio::use_future));
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
        nodes.communicators.push_back(
            std::make_unique<convoy::FabricCommunicator>(*nodes.io[rank], futures[rank].get()));
    }
    return nodes;
}

/// Over memory, all on one network thread.
inline Nodes memory_nodes(std::size_t count, const convoy::FabricOptions& fabric = {}) {
    Nodes nodes;
    nodes.io.push_back(std::make_unique<convoy::IoThread>());
    auto fabrics = convoy::make_memory_fabrics(
        nodes.io[0]->context().get_executor(), static_cast<std::int64_t>(count),
        [count](std::int64_t rank) { return all_but(rank, count); }, fabric);
    for (auto& each : fabrics) {
        std::vector<std::unique_ptr<convoy::Fabric>> one;
        one.push_back(std::move(each));
        nodes.communicators.push_back(
            std::make_unique<convoy::FabricCommunicator>(*nodes.io[0], std::move(one)));
    }
    return nodes;
}
