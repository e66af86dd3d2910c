#include "cluster/local_starter.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/waiting_threads.hpp"
#include "cluster/child_watch.hpp"

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
    auto describe = [because = std::move(place.killed_because)](const ProcessEnd& end,
                                                                const ChildOutput& output) {
        return NodeProcessEnd{.how = end.text() + (end.by_signal && because ? because() : ""),
                              .well = end == ProcessEnd{},
                              .reason = output.own_error()};
    };
    watch_child(executor_, process, std::move(errors.read_end), std::move(watch), std::move(describe));
    return StartedNode{
        .pid = process->pid(), .control = std::move(control.one), .host = std::move(place.address)};
}

void LocalStarter::signal(std::int64_t rank, int number) {
    const auto found = processes_.find(rank);
    if (found != processes_.end()) found->second->signal(number);
}

void LocalStarter::end(std::int64_t rank, bool by_force) {
    signal(rank, by_force ? SIGKILL : SIGTERM);
}

}  // namespace convoy
