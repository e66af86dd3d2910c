#include "cluster/user_signals.hpp"

#include <boost/system/error_code.hpp>
#include <csignal>
#include <utility>

namespace convoy {

UserSignals::UserSignals(boost::asio::io_context& io, std::function<void()> take)
    : io_(io), set_(io, SIGINT, SIGTERM), take_(std::move(take)) {
    // Where somebody wants that a run outlives its terminal (nohup), it does.
    if (!is_ignored(SIGHUP)) set_.add(SIGHUP);
}

void UserSignals::listen() {
    set_.async_wait([this](const boost::system::error_code& cancelled, int signal) {
        if (cancelled) return;
        // The loop had queued this handler before stop(), which then cancels nothing.
        if (stopped_) return static_cast<void>(std::raise(signal));
        listen();
        take_();
    });
}

void UserSignals::stop() {
    stopped_ = true;
    held_.hold();
    boost::system::error_code ignored;
    set_.cancel(ignored);
}

void UserSignals::pass_on() {
    stop();
    // asio's handler of the signal has only written it to a pipe of the loop.
    listen();
    io_.restart();
    io_.poll();
}

}  // namespace convoy
