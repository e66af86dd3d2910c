#include "net/signal.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace convoy {
namespace asio = boost::asio;

/// A suspended coroutine, whatever the type by which asio knows it.
struct Signal::Waiter {
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    Waiter(Waiter&&) = delete;
    Waiter& operator=(Waiter&&) = delete;
    virtual ~Waiter() = default;
    virtual void resume() = 0;

    template <typename Handler>
    static std::unique_ptr<Waiter> of(Handler handler) {
        struct Holder final : Waiter {
            explicit Holder(Handler held) : handler(std::move(held)) {}
            void resume() override { std::move(handler)(); }
            Handler handler;
        };
        return std::make_unique<Holder>(std::move(handler));
    }
};

Signal::~Signal() = default;

Signal::Signal(asio::any_io_executor executor) : executor_(std::move(executor)) {}

asio::awaitable<void> Signal::wait() {
    if (!kept_) {
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
            [this](auto handler) { waiter_ = Waiter::of(std::move(handler)); }, asio::use_awaitable);
    }
    kept_ = false;
}

void Signal::notify() {
    kept_ = true;
    if (waiter_) asio::post(executor_, [waiter = std::move(waiter_)] { waiter->resume(); });
}

void Signal::notify_now() {
    kept_ = true;
    if (waiter_) asio::dispatch(executor_, [waiter = std::move(waiter_)] { waiter->resume(); });
}

}  // namespace convoy
