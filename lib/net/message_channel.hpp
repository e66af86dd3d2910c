#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "net/frame_seal.hpp"
#include "net/tls_session.hpp"

namespace convoy {

/// A connected socket of any kind: of TCP, or between two processes of this machine.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

/// The largest message. Weights and checkpoints of a node are one message each, so memory limits them before.
inline constexpr std::size_t most_message_bytes = std::size_t{1} << 36U;

/// The control connection between launcher and worker: JSON messages, as CBOR in frames (FRAMES.md), over one
/// stream of bytes. Messages stay whole and in order, also when several coroutines send.
class MessageChannel {
  public:
    /// peer: the name of the other side in errors. limit_bytes: the largest size of a received message.
    MessageChannel(StreamSocket socket, std::string peer, std::size_t limit_bytes = most_message_bytes);
    MessageChannel(const MessageChannel&) = delete;
    MessageChannel& operator=(const MessageChannel&) = delete;
    MessageChannel(MessageChannel&&) = delete;
    MessageChannel& operator=(MessageChannel&&) = delete;
    ~MessageChannel();

    /// Throws NodeLostError if the connection is lost.
    boost::asio::awaitable<void> send(nlohmann::json message);
    /// Throws NodeLostError at the end of the stream, DataError if the received bytes are not a message.
    boost::asio::awaitable<nlohmann::json> receive();
    /// Ends both directions; pending calls throw NodeLostError.
    void close();
    /// Later messages have seals (frame_seal.hpp). A message whose seal is wrong is a DataError.
    void seal(const SealKeys& keys);
    /// Later messages go through this session. A message that was changed is a DataError.
    void encrypt(std::unique_ptr<TlsSession> tls);
    void rename(std::string peer);
    /// Sets the largest size of later received messages. A peer that has proved its identity may send more.
    void set_limit(std::size_t limit_bytes);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace convoy
