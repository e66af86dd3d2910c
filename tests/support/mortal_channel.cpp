#include "support/mortal_channel.hpp"

#include <utility>

#include "base/error.hpp"

namespace convoy::test {
namespace asio = boost::asio;
using asio::awaitable;

bool Lifespan::may_send() {
    if (over_) return false;
    if (sent() == fatal_frame_) {
        over_ = true;
        for (auto* channel : channels_) channel->close();
        return false;
    }
    sent_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

namespace {

/// Counts bytes and waits itself, since fabrics look here for a stalled peer.
class MortalChannel final : public Channel {
  public:
    MortalChannel(std::unique_ptr<Channel> inner, std::shared_ptr<Lifespan> owner)
        : Channel(inner->peer()), inner_(std::move(inner)), owner_(std::move(owner)) {
        owner_->add(*this);
    }
    MortalChannel(const MortalChannel&) = delete;
    MortalChannel& operator=(const MortalChannel&) = delete;
    MortalChannel(MortalChannel&&) = delete;
    MortalChannel& operator=(MortalChannel&&) = delete;
    ~MortalChannel() override { owner_->remove(*this); }

    awaitable<void> write(std::span<const std::byte> header, std::span<const std::byte> payload) override {
        const Waiting waiting(*this, Direction::send);
        if (!owner_->may_send()) fail(dead);
        try {
            co_await inner_->write(header, payload);
        } catch (const NodeLostError&) {
            explain();
            throw;
        }
        progress(Direction::send, header.size() + payload.size());
    }

    awaitable<void> read(std::span<std::byte> into) override {
        const Waiting waiting(*this, Direction::receive);
        try {
            co_await inner_->read(into);
        } catch (const NodeLostError&) {
            explain();
            throw;
        }
        progress(Direction::receive, into.size());
    }

    awaitable<std::size_t> read_some_more(std::span<std::byte> header, std::span<std::byte> more) override {
        const Waiting waiting(*this, Direction::receive);
        std::size_t count = 0;
        try {
            count = co_await inner_->read_some_more(header, more);
        } catch (const NodeLostError&) {
            explain();
            throw;
        }
        progress(Direction::receive, header.size() + count);
        co_return count;
    }

    void close() override {
        closed_ = true;
        inner_->close();
    }

  private:
    static constexpr std::string_view dead = "this node is dead";

    /// Throws the error of a link that was closed on this side: by a death, or by a deadline.
    void explain() const {
        if (closed_) fail(owner_->over() ? dead : "the connection was closed on this side");
    }

    std::unique_ptr<Channel> inner_;
    std::shared_ptr<Lifespan> owner_;
    bool closed_ = false;
};

}  // namespace

std::unique_ptr<Channel> make_mortal(std::unique_ptr<Channel> channel, std::shared_ptr<Lifespan> owner) {
    return std::make_unique<MortalChannel>(std::move(channel), std::move(owner));
}

}  // namespace convoy::test
