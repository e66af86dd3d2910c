#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_future.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cluster/endpoint.hpp"
#include "net/hello_exchange.hpp"
#include "net/message_channel.hpp"

/// A control connection driven message by message, for tests that say what no launcher or worker says.
class RawChannel {
  public:
    /// Connects to a launcher at ADDRESS:PORT.
    explicit RawChannel(const std::string& launcher) : channel_(connected(io_, launcher), "the launcher") {}
    /// Connects to a launcher, and proves itself as a worker that wants this rank (-1: any).
    RawChannel(const std::string& launcher, const std::string& token, std::int64_t rank)
        : channel_(proved_to(io_, launcher, token, rank, keys_), "the launcher") {
        channel_.seal({.out = keys_.to_acceptor, .in = keys_.to_connector});
    }
    /// Takes the next worker that connects, and proves itself as the launcher of a run with this token.
    RawChannel(boost::asio::ip::tcp::acceptor& acceptor, const std::string& token)
        : channel_(proved(io_, acceptor, token, keys_), "the worker") {
        channel_.seal({.out = keys_.to_connector, .in = keys_.to_acceptor});
    }

    /// Takes over a descriptor, the connection between a launcher and a worker that it started.
    explicit RawChannel(int descriptor)
        : channel_(boost::asio::local::stream_protocol::socket(io_, boost::asio::local::stream_protocol(),
                                                               descriptor),
                   "the other side") {}

    void send(nlohmann::json message) { finish(channel_.send(std::move(message))); }
    nlohmann::json receive() { return finish(channel_.receive()); }
    void close() { channel_.close(); }

  private:
    static boost::asio::ip::tcp::socket connected(boost::asio::io_context& io, const std::string& launcher) {
        boost::asio::ip::tcp::socket socket(io);
        socket.connect(convoy::parse_endpoint(launcher));
        return socket;
    }
    static boost::asio::ip::tcp::socket proved(boost::asio::io_context& io,
                                               boost::asio::ip::tcp::acceptor& acceptor,
                                               const std::string& token, convoy::SessionKeys& keys) {
        boost::asio::ip::tcp::socket socket(io);
        acceptor.accept(socket);
        auto proof = boost::asio::co_spawn(
            io,
            [&]() -> boost::asio::awaitable<void> {
                const auto key = std::as_bytes(std::span(token));
                auto session = co_await convoy::hear_hello(socket, {}, key, "the worker");
                co_await convoy::answer_hello(socket, session, true, key, "the worker");
                keys = session.keys;
            },
            boost::asio::use_future);
        io.run();
        proof.get();
        return socket;
    }
    static boost::asio::ip::tcp::socket proved_to(boost::asio::io_context& io, const std::string& launcher,
                                                  const std::string& token, std::int64_t rank,
                                                  convoy::SessionKeys& keys) {
        auto socket = connected(io, launcher);
        const convoy::Hello hello{
            .purpose = convoy::Purpose::join, .world_size = 0, .from_rank = rank, .to_rank = -1};
        auto proof = boost::asio::co_spawn(
            io, convoy::say_hello(socket, hello, std::as_bytes(std::span(token)), "the launcher"),
            boost::asio::use_future);
        io.run();
        keys = proof.get().keys;
        return socket;
    }
    template <class T>
    T finish(boost::asio::awaitable<T> task) {
        auto result = boost::asio::co_spawn(io_, std::move(task), boost::asio::use_future);
        io_.restart();
        io_.run();
        return result.get();
    }

    boost::asio::io_context io_;
    convoy::SessionKeys keys_;
    convoy::MessageChannel channel_;
};
