#include "net/hello_exchange.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <vector>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/frame.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

awaitable<error_code> send_hello(tcp::socket& socket, Hello hello) {
    const auto payload = encode_hello(hello);
    const auto header = encode_frame_header({.kind = FrameKind::hello, .payload_bytes = payload.size()});
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(header), asio::buffer(payload)};
    const auto [problem, count] = co_await asio::async_write(socket, buffers, as_outcome);
    co_return problem;
}

awaitable<Hello> receive_hello(tcp::socket& socket, std::string peer) {
    const auto check = [&](const error_code& problem) {
        if (problem)
            throw ClusterError(
                fmt::format("{}: ended the connection before its hello: {}", peer, problem.message()));
    };
    FrameHeaderBytes bytes{};
    const auto [no_header, header_count] = co_await asio::async_read(socket, asio::buffer(bytes), as_outcome);
    check(no_header);
    const auto header = decode_frame_header(bytes, hello_max_payload_bytes, peer);
    if (header.kind != FrameKind::hello) throw DataError(fmt::format("{}: did not say hello first", peer));
    std::vector<std::byte> payload(header.payload_bytes);
    const auto [no_payload, payload_count] =
        co_await asio::async_read(socket, asio::buffer(payload), as_outcome);
    check(no_payload);
    co_return decode_hello(payload, peer);
}

}  // namespace convoy
