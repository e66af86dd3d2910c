#include "cluster/child_watch.hpp"

#include <fcntl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace convoy {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> await_end(std::weak_ptr<ChildProcess> watched, int handle_of_process,
                                std::shared_ptr<ChildOutput> output, NodeWatch watch, DescribeEnd describe) {
    // A copy of the handle, so that this coroutine owns the one that it closes.
    asio::posix::stream_descriptor handle(co_await asio::this_coro::executor,
                                          ::fcntl(handle_of_process, F_DUPFD_CLOEXEC, 0));
    while (true) {
        co_await handle.async_wait(handle.wait_read, asio::use_awaitable);
        const auto process = watched.lock();
        if (!process) co_return;
        const auto end = process->ended();
        if (!end) continue;
        output->finish();
        watch.on_end(describe(*end, *output));
        co_return;
    }
}

void rethrow(const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

void watch_child(const asio::any_io_executor& executor, const std::shared_ptr<ChildProcess>& process,
                 Descriptor errors, NodeWatch watch, DescribeEnd describe) {
    auto output = std::make_shared<ChildOutput>(executor, std::move(errors), watch.on_line);
    asio::co_spawn(executor, ChildOutput::follow(output), rethrow);
    asio::co_spawn(executor,
                   await_end(process, process->handle(), output, std::move(watch), std::move(describe)),
                   rethrow);
}

}  // namespace convoy
