#include "collective/failure_telling.hpp"

#include <boost/asio/co_spawn.hpp>
#include <cstddef>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "net/frame.hpp"
#include "net/signal.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

awaitable<void> tell(Channel& channel, const FailureNotice& notice) {
    const auto payload = encode_failure(notice);
    const auto head = encode_frame_header({.kind = FrameKind::failure, .payload_bytes = payload.size()});
    try {
        co_await channel.write(head, payload);
    } catch (const Error&) {  // the peer is gone too: nobody is left to tell
    }
}

}  // namespace

awaitable<void> tell_failure(asio::any_io_executor executor, std::vector<Channel*> channels,
                             FailureNotice notice) {
    Signal one_ended(executor);
    auto left = channels.size();
    std::exception_ptr bug;
    for (auto* channel : channels) {
        asio::co_spawn(executor, tell(*channel, notice), [&](const std::exception_ptr& error) {
            if (error) bug = error;
            --left;
            one_ended.notify();
        });
    }
    while (left > 0) {
        co_await one_ended.wait();
    }
    if (bug) std::rethrow_exception(bug);
}

}  // namespace convoy
