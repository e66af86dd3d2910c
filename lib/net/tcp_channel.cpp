#include "net/tcp_channel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <chrono>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/tls_transfer.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Every transfer is first tried without waiting: while data flows, a segment costs one system call and no
/// trip through the event loop.
class TcpChannel : public Channel {
  public:
    TcpChannel(tcp::socket socket, std::string peer, int send_buffer_bytes,
               const std::optional<SealKeys>& keys, std::unique_ptr<TlsSession> tls)
        : Channel(std::move(peer)), socket_(std::move(socket)), tls_(std::move(tls)) {
        if (keys) {
            sealing_.emplace(keys->out);
            checking_.emplace(keys->in);
            set_sealed();
        }
        try {
            socket_.non_blocking(true);
            socket_.set_option(tcp::no_delay(true));
            if (send_buffer_bytes > 0)
                socket_.set_option(asio::socket_base::send_buffer_size(send_buffer_bytes));
        } catch (const boost::system::system_error& gone) {
            fail(gone.code().message());
        }
    }

    awaitable<void> write(std::span<const std::byte> header, std::span<const std::byte> payload) override {
        const Waiting waiting(*this, Direction::send);
        look_at_retransmits();
        if (tls_) {
            co_await write_encrypted(header, payload);
            co_return;
        }
        Seal seal{};
        std::span<const std::byte> closing;
        if (sealing_) {
            seal = sealing_->next(header, payload);
            closing = seal;
        }
        while (!header.empty() || !payload.empty() || !closing.empty()) {
            const std::array<asio::const_buffer, 3> buffers{
                asio::const_buffer(header.data(), header.size()),
                asio::const_buffer(payload.data(), payload.size()),
                asio::const_buffer(closing.data(), closing.size())};
            std::size_t count = co_await write_some(buffers);
            for (auto* part : {&header, &payload, &closing}) {
                const auto of_part = std::min(count, part->size());
                *part = part->subspan(of_part);
                count -= of_part;
            }
        }
    }

    awaitable<bool> seal_fits(std::span<const std::byte> header, std::span<const std::byte> payload,
                              std::span<const std::byte> arrived) override {
        const auto expected = checking_.value().next(header, payload);
        Seal found{};
        const auto there = std::min(arrived.size(), found.size());
        std::copy_n(arrived.begin(), there, found.begin());
        co_await read_until_full(std::span(found).subspan(there), {});
        co_return same_seal(found, expected);
    }

    awaitable<void> read(std::span<std::byte> into) override { co_await read_until_full(into, {}); }

    awaitable<std::size_t> read_some_more(std::span<std::byte> header, std::span<std::byte> more) override {
        return read_until_full(header, more);
    }

    void close() override {
        error_code ignored;  // closing what is already gone is no error
        socket_.shutdown(tcp::socket::shutdown_both, ignored);
        socket_.close(ignored);
    }

  private:
    template <class Buffers>
    awaitable<std::size_t> write_some(const Buffers& buffers) {
        error_code problem;
        std::size_t count = socket_.write_some(buffers, problem);
        if (problem == asio::error::would_block)
            std::tie(problem, count) = co_await socket_.async_write_some(buffers, as_outcome);
        check(problem);
        progress(Direction::send, count);
        co_return count;
    }
    template <class Buffers>
    awaitable<std::size_t> read_some(const Buffers& buffers) {
        error_code problem;
        std::size_t count = socket_.read_some(buffers, problem);
        if (problem == asio::error::would_block)
            std::tie(problem, count) = co_await socket_.async_read_some(buffers, as_outcome);
        check(problem);
        progress(Direction::receive, count);
        co_return count;
    }

    awaitable<void> write_encrypted(std::span<const std::byte> header, std::span<const std::byte> payload) {
        do {
            const auto count = std::min(payload.size(), TlsSession::piece_bytes);
            if (!tls_->encrypt(header, payload.first(count))) check(asio::error::connection_aborted);
            header = {};
            payload = payload.subspan(count);
            while (!tls_->outgoing().empty()) {
                const auto bytes = tls_->outgoing();
                tls_->sent(co_await write_some(asio::const_buffer(bytes.data(), bytes.size())));
            }
        } while (!payload.empty());
    }

    /// As read_until_full.
    awaitable<std::size_t> read_decrypted(std::span<std::byte> first, std::span<std::byte> second) {
        while (true) {
            first = first.subspan(decrypt(first));
            if (first.empty()) co_return decrypt(second);
            if (tls_->is_ended()) check(asio::error::eof);
            const auto room = tls_->room();
            tls_->arrived(co_await read_some(asio::mutable_buffer(room.data(), room.size())));
        }
    }

    std::size_t decrypt(std::span<std::byte> into) {
        try {
            return tls_->decrypt(into);
        } catch (const TlsError& error) {
            rethrow_with_peer(error, peer());
        }
    }

    /// Fills first, and what comes at the same time goes into second; says how much that was.
    awaitable<std::size_t> read_until_full(std::span<std::byte> first, std::span<std::byte> second) {
        const Waiting waiting(*this, Direction::receive);
        if (tls_) co_return co_await read_decrypted(first, second);
        std::size_t of_second = 0;
        while (!first.empty()) {
            const std::array<asio::mutable_buffer, 2> buffers{
                asio::mutable_buffer(first.data(), first.size()),
                asio::mutable_buffer(second.data(), second.size())};
            const std::size_t count = co_await read_some(buffers);
            of_second = count - std::min(count, first.size());
            first = first.subspan(count - of_second);
        }
        co_return of_second;
    }

    /// Asks the system, but not for each frame: a call costs as much as a small segment.
    void look_at_retransmits() {
        constexpr auto usual_interval = std::chrono::milliseconds(50);
        const auto now = Clock::now();
        if (now < next_look_) return;
        next_look_ = now + usual_interval;
        tcp_info info{};
        socklen_t length = sizeof info;
        const int found = ::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &length);
        if (found == 0 && length > offsetof(tcp_info, tcpi_total_retrans))
            count_retransmits(info.tcpi_total_retrans);
    }

    void check(const error_code& problem) const {
        if (!problem) return;
        if (problem == asio::error::eof) fail("closed the connection; the node is lost");
        if (problem == asio::error::operation_aborted || problem == asio::error::bad_descriptor) {
            fail("the connection was closed on this side");
        }
        fail("the connection is lost: " + problem.message());
    }

    tcp::socket socket_;
    std::optional<FrameSeal> sealing_, checking_;
    std::unique_ptr<TlsSession> tls_;
    TimePoint next_look_{};
};

}  // namespace

std::unique_ptr<Channel> make_tcp_channel(tcp::socket socket, std::string peer, int send_buffer_bytes,
                                          const std::optional<SealKeys>& keys,
                                          std::unique_ptr<TlsSession> tls) {
    return std::make_unique<TcpChannel>(std::move(socket), std::move(peer), send_buffer_bytes, keys,
                                        std::move(tls));
}

}  // namespace convoy
