#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "net/message_channel.hpp"

/// A control connection driven message by message, for tests that say what no worker says.
class RawJoin {
  public:
    /// launcher: HOST:PORT, HOST an IPv4 address.
    explicit RawJoin(const std::string& launcher) : channel_(connected(io_, launcher), "the launcher") {}

    void send(nlohmann::json message) { finish(channel_.send(std::move(message))); }
    nlohmann::json receive() { return finish(channel_.receive()); }

  private:
    static boost::asio::ip::tcp::socket connected(boost::asio::io_context& io, const std::string& launcher) {
        const auto colon = launcher.rfind(':');
        boost::asio::ip::tcp::socket socket(io);
        socket.connect({boost::asio::ip::make_address(launcher.substr(0, colon)),
                        static_cast<unsigned short>(std::stoi(launcher.substr(colon + 1)))});
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
    convoy::MessageChannel channel_;
};
