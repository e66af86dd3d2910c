#include "cluster/standard_control.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace convoy {

namespace {

/// Carries bytes until one of the two ends; then tells the socket's other end, if it is `to`.
void carry(int from, int to) {
    constexpr std::size_t piece_bytes = std::size_t{64} << 10U;
    std::array<char, piece_bytes> piece{};
    while (true) {
        const auto count = ::read(from, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        for (ssize_t done = 0; done < count;) {
            const auto written = ::write(to, piece.data() + done, static_cast<std::size_t>(count - done));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return;
            done += written;
        }
    }
    ::shutdown(to, SHUT_WR);  // of a pipe it does nothing
}

}  // namespace

int take_standard_connection() {
    auto pair = SocketPair::open();
    Descriptor in(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    Descriptor out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const bool moved = pair && in.get() >= 0 && out.get() >= 0 && ::dup2(nothing.get(), STDIN_FILENO) >= 0 &&
                       ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (!moved) throw ClusterError(fmt::format("--stdio: no connection: {}", std::strerror(errno)));
    // The descriptors live as long as the process, as these threads do.
    const int inner = pair.other.release();
    std::thread(carry, in.release(), inner).detach();
    std::thread(carry, inner, out.release()).detach();
    return pair.one.release();
}

std::string address_of_ssh() {
    const char* connection = std::getenv("SSH_CONNECTION");
    std::istringstream words(connection == nullptr ? "" : connection);
    std::string client, client_port, server;
    words >> client >> client_port >> server;
    boost::system::error_code problem;
    boost::asio::ip::make_address(server, problem);
    if (problem)
        throw UsageError(fmt::format(
            "SSH_CONNECTION is '{}', and does not say the address of this host; give --listen a network or "
            "an interface, as 10.0.0.0/24",
            connection == nullptr ? "" : connection));
    return server;
}

}  // namespace convoy
