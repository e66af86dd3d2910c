#include "cluster/local_starter.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/waiting_threads.hpp"
#include "cluster/child_output.hpp"

namespace convoy {

namespace asio = boost::asio;

namespace {

std::map<std::string, std::string> environment_of(const NodeStart& node) {
    std::map<std::string, std::string> environment;
    if (node.threads) {
        environment["OMP_NUM_THREADS"] = std::to_string(*node.threads);
        environment["OPENBLAS_NUM_THREADS"] = std::to_string(*node.threads);
    }
    if (!has_setting_of_waiting_threads()) environment.insert(setting_of_waiting_threads());
    return environment;
}

/// Waits for the end of a process, unless its starter goes before.
asio::awaitable<void> await_end(std::weak_ptr<ChildProcess> watched, int handle_of_process,
                                std::shared_ptr<ChildOutput> output, std::function<std::string()> reason,
                                NodeWatch watch) {
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
        watch.on_end({.how = end->text() + (end->by_signal && reason ? reason() : ""),
                      .well = *end == ProcessEnd{},
                      .reason = output->own_error()});
        co_return;
    }
}

void rethrow(const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

LocalStarter::LocalStarter(asio::any_io_executor executor, std::vector<std::string> worker,
                           std::function<LocalPlace(std::int64_t)> place_of, bool ignores_term)
    : executor_(std::move(executor)),
      worker_(std::move(worker)),
      place_of_(std::move(place_of)),
      ignores_term_(ignores_term) {}

std::optional<StartedNode> LocalStarter::start(const NodeStart& node, NodeWatch watch) {
    auto place = place_of_(node.rank);
    auto control = SocketPair::open();
    auto errors = Pipe::open();
    if (!control || !errors)
        throw ClusterError(fmt::format("cannot make a connection to a worker: {}", std::strerror(errno)));
    auto command = worker_;
    command.insert(command.end(), {"--control", std::to_string(child_control), "--rank",
                                   std::to_string(node.rank), "--interface", place.address});
    auto process = std::make_shared<ChildProcess>(command, ChildSettings{.environment = environment_of(node),
                                                                         .host = place.host,
                                                                         .control = control.other.get(),
                                                                         .errors = errors.write_end.get(),
                                                                         .ignores_term = ignores_term_});
    processes_[node.rank] = process;
    auto output = std::make_shared<ChildOutput>(executor_, std::move(errors.read_end), watch.on_line);
    asio::co_spawn(executor_, ChildOutput::follow(output), rethrow);
    asio::co_spawn(
        executor_,
        await_end(process, process->handle(), output, std::move(place.killed_because), std::move(watch)),
        rethrow);
    return StartedNode{
        .pid = process->pid(), .control = std::move(control.one), .host = std::move(place.address)};
}

void LocalStarter::end(std::int64_t rank, bool by_force) {
    const auto found = processes_.find(rank);
    if (found != processes_.end()) found->second->signal(by_force ? SIGKILL : SIGTERM);
}

}  // namespace convoy
