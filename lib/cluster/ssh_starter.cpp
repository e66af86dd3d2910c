#include "cluster/ssh_starter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "cluster/child_watch.hpp"

namespace convoy {

namespace asio = boost::asio;

namespace {

/// A text as one word of a shell.
std::string shell_word(std::string_view text) {
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

/// What the shell of a host runs. It has no secret.
std::string command_on_host(const RemoteNodes& nodes, const NodeStart& node) {
    const auto place = nodes.place_of_rank.at(static_cast<std::size_t>(node.rank));
    auto script = fmt::format("cd {} 2>/dev/null; exec env", shell_word(nodes.folder));
    if (node.threads) script += fmt::format(" OMP_NUM_THREADS={0} OPENBLAS_NUM_THREADS={0}", *node.threads);
    script += fmt::format(" {} worker --stdio --rank {} --share {}", shell_word(nodes.program), node.rank,
                          std::ranges::count(nodes.place_of_rank, place));
    if (nodes.interface) script += " --interface " + shell_word(*nodes.interface);
    // The user's own shell may be any.
    return "exec /bin/sh -c " + shell_word(script);
}

}  // namespace

std::vector<std::string> ssh_command(const RemoteNodes& nodes, const NodeStart& node) {
    auto command = nodes.ssh;
    // The user's options come first, so they count.
    command.insert(command.end(), {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"});
    command.push_back(nodes.host_of(node.rank));
    command.push_back(command_on_host(nodes, node));
    return command;
}

SshStarter::SshStarter(asio::any_io_executor executor, RemoteNodes nodes)
    : executor_(std::move(executor)), nodes_(std::move(nodes)) {}

std::optional<StartedNode> SshStarter::start(const NodeStart& node, NodeWatch watch) {
    auto control = SocketPair::open();
    auto errors = Pipe::open();
    if (!control || !errors)
        throw ClusterError(fmt::format("cannot make a connection to ssh: {}", std::strerror(errno)));
    const auto process = std::make_shared<ChildProcess>(
        ssh_command(nodes_, node),
        ChildSettings{.errors = errors.write_end.get(), .standard = control.other.get()});
    processes_[node.rank] = process;
    watch_child(executor_, process, std::move(errors.read_end), std::move(watch),
                [](const ProcessEnd& end, const ChildOutput& output) {
                    const auto& own = output.own_error();
                    return NodeProcessEnd{.how = end.text(),
                                          .well = end == ProcessEnd{},
                                          // Else the words of ssh, or of the host's shell.
                                          .reason = own.empty() ? output.last_line() : own};
                });
    // The node tells its process by itself.
    return StartedNode{.pid = 0, .control = std::move(control.one), .host = nodes_.host_of(node.rank)};
}

void SshStarter::end(std::int64_t rank, bool by_force) {
    const auto found = processes_.find(rank);
    if (found != processes_.end()) found->second->signal(by_force ? SIGKILL : SIGTERM);
}

}  // namespace convoy
