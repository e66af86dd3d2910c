#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>

namespace convoy::test {

/// A port of loopback that nobody listens at, and that no other call returns soon: the system gives free
/// ports in turn.
inline std::uint16_t free_port() {
    using boost::asio::ip::tcp;
    boost::asio::io_context io;
    const tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    return acceptor.local_endpoint().port();
}

}  // namespace convoy::test
