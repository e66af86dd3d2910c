#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convoy {

/// The control plane between launcher and workers: JSON messages, as CBOR in frames (FRAMES.md), over one TCP
/// connection. Sends are whole and in order, also when several coroutines send.
class MessageChannel {
  public:
    /// peer names the other side in errors. limit_bytes bounds what a received message may hold.
    MessageChannel(boost::asio::ip::tcp::socket socket, std::string peer,
                   std::size_t limit_bytes = std::size_t{1} << 30U);
    MessageChannel(const MessageChannel&) = delete;
    MessageChannel& operator=(const MessageChannel&) = delete;
    MessageChannel(MessageChannel&&) = delete;
    MessageChannel& operator=(MessageChannel&&) = delete;
    ~MessageChannel();

    /// Throws NodeLostError where the connection is gone.
    boost::asio::awaitable<void> send(nlohmann::json message);
    /// Throws NodeLostError at the end of the stream, DataError where what came is no message.
    boost::asio::awaitable<nlohmann::json> receive();
    /// Ends both directions; pending calls throw NodeLostError.
    void close();
    void rename(std::string peer);
    /// Bounds what later messages may hold; for a peer that is trusted more once it has shown who it is.
    void set_limit(std::size_t limit_bytes);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace convoy
