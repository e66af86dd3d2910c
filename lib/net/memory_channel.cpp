#include "net/memory_channel.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "net/signal.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

/// One direction: a ring of bytes with a signal for either side.
class ByteRing {
  public:
    ByteRing(const asio::any_io_executor& executor, std::size_t capacity)
        : readable(executor), writable(executor), bytes_(capacity) {}

    /// Copies in as much as there is room for, and says how much that was.
    std::size_t put(std::span<const std::byte> from) {
        const auto count = std::min(from.size(), bytes_.size() - held_);
        const auto tail = (head_ + held_) % bytes_.size();
        const auto straight = std::min(count, bytes_.size() - tail);
        if (straight > 0) std::memcpy(bytes_.data() + tail, from.data(), straight);
        if (count > straight) std::memcpy(bytes_.data(), from.data() + straight, count - straight);
        held_ += count;
        if (count > 0) readable.notify();
        return count;
    }

    /// Copies out as much as there is, and says how much that was.
    std::size_t take(std::span<std::byte> into) {
        const auto count = std::min(into.size(), held_);
        const auto straight = std::min(count, bytes_.size() - head_);
        if (straight > 0) std::memcpy(into.data(), bytes_.data() + head_, straight);
        if (count > straight) std::memcpy(into.data() + straight, bytes_.data(), count - straight);
        head_ = (head_ + count) % bytes_.size();
        held_ -= count;
        if (count > 0) writable.notify();
        return count;
    }

    void close() {
        closed = true;
        readable.notify();
        writable.notify();
    }

    Signal readable, writable;
    bool closed = false;

  private:
    std::vector<std::byte> bytes_;
    std::size_t head_ = 0, held_ = 0;
};

class MemoryChannel : public Channel {
  public:
    MemoryChannel(std::string peer, std::shared_ptr<ByteRing> out, std::shared_ptr<ByteRing> in)
        : Channel(std::move(peer)), out_(std::move(out)), in_(std::move(in)) {}
    MemoryChannel(const MemoryChannel&) = delete;
    MemoryChannel& operator=(const MemoryChannel&) = delete;
    MemoryChannel(MemoryChannel&&) = delete;
    MemoryChannel& operator=(MemoryChannel&&) = delete;
    ~MemoryChannel() override { MemoryChannel::close(); }

    awaitable<void> write(std::span<const std::byte> header, std::span<const std::byte> payload) override {
        const Waiting waiting(*this, Direction::send);
        co_await write_part(header);
        co_await write_part(payload);
    }

    awaitable<void> read(std::span<std::byte> into) override {
        const Waiting waiting(*this, Direction::receive);
        while (!into.empty()) {
            if (closed_) fail("the connection was closed on this side");
            const auto count = in_->take(into);
            if (count > 0) progress(Direction::receive, count);
            into = into.subspan(count);
            if (count > 0) continue;
            if (in_->closed) fail("closed the connection; the node is lost");
            co_await in_->readable.wait();
        }
    }

    awaitable<std::size_t> read_some_more(std::span<std::byte> header, std::span<std::byte> more) override {
        co_await read(header);
        const auto count = closed_ ? 0 : in_->take(more);
        if (count > 0) progress(Direction::receive, count);
        co_return count;
    }

    void close() override {
        closed_ = true;
        out_->close();
        in_->close();
    }

  private:
    awaitable<void> write_part(std::span<const std::byte> part) {
        while (!part.empty()) {
            if (closed_) fail("the connection was closed on this side");
            if (out_->closed) fail("closed the connection; the node is lost");
            const auto count = out_->put(part);
            if (count > 0) progress(Direction::send, count);
            part = part.subspan(count);
            if (!part.empty()) {
                co_await out_->writable.wait();
            }
        }
    }

    std::shared_ptr<ByteRing> out_, in_;
    bool closed_ = false;
};

}  // namespace

std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>> make_memory_link(
    const asio::any_io_executor& executor, std::string first_name, std::string second_name,
    std::size_t capacity_bytes) {
    auto there = std::make_shared<ByteRing>(executor, capacity_bytes);
    auto back = std::make_shared<ByteRing>(executor, capacity_bytes);
    auto first = std::make_unique<MemoryChannel>(std::move(second_name), there, back);
    auto second = std::make_unique<MemoryChannel>(std::move(first_name), back, there);
    return {std::move(first), std::move(second)};
}

}  // namespace convoy
