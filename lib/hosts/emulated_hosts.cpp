#include "hosts/emulated_hosts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

#include "base/clock.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/spawn_attributes.hpp"

namespace convoy {

using namespace std::chrono_literals;

namespace {

Descriptor open_file(const std::filesystem::path& file, int flags) {
    Descriptor opened(::open(file.c_str(), flags | O_CLOEXEC));
    if (opened.get() < 0)
        throw ClusterError(fmt::format("emulated hosts: {}: {}", file.string(), std::strerror(errno)));
    return opened;
}

HostEntrance open_entrance(const GuardedHosts& hosts, std::int64_t host) {
    HostEntrance entrance;
    entrance.network = open_file("/run/netns/" + hosts.plan.host_name(host), O_RDONLY);
    for (const auto& folder : hosts.control_groups.at(static_cast<std::size_t>(host)))
        entrance.control_groups.push_back(open_file(folder / "cgroup.procs", O_WRONLY));
    return entrance;
}

}  // namespace

EmulatedHosts::EmulatedHosts(const std::vector<std::string>& guardian, const ClusterSpec& cluster,
                             std::int64_t hosts) {
    auto command = guardian;
    const auto limits = cluster_arguments(cluster, hosts);
    command.insert(command.end(), limits.begin(), limits.end());
    start(command);
    try {
        hosts_ = parse_hosts_line(next_line(60s + hosts * 1s, EndsBySignal::yes));
        for (std::int64_t host = 0; host < hosts; ++host) entrances_.push_back(open_entrance(hosts_, host));
    } catch (...) {
        end();
        throw;
    }
}

EmulatedHosts::~EmulatedHosts() {
    end();
}

std::vector<std::string> EmulatedHosts::remove() {
    if (guardian_ < 0) return {};
    entrances_.clear();
    to_guardian_.reset();
    std::vector<std::string> leftovers;
    try {
        leftovers = parse_leftovers_line(next_line(120s, EndsBySignal::no));
        for (auto& text : leftovers) text = "emulated hosts: not removed: " + text;
    } catch (const Error& problem) {
        leftovers.push_back(
            fmt::format("emulated hosts: their guardian (pid {}) did not end well ({}); the next run with "
                        "emulated hosts removes the rest",
                        guardian_, problem.what()));
    }
    end();
    return leftovers;
}

/// In a session of its own, so that Ctrl-C and the end of a terminal do not reach it.
void EmulatedHosts::start(const std::vector<std::string>& command) {
    auto words = command;
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    auto to = Pipe::open();
    auto from = Pipe::open();
    if (!to || !from)
        throw ClusterError(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));

    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, to.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, from.write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    const SpawnAttributes attributes(SpawnAttributes::Session::own);
    const int problem =
        ::posix_spawn(&guardian_, arguments[0], &files, attributes.get(), arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (problem != 0) {
        guardian_ = -1;
        throw ClusterError(fmt::format("cannot start {}: {}", command.front(), std::strerror(problem)));
    }
    to_guardian_ = std::move(to.write_end);
    from_guardian_ = std::move(from.read_end);
}

/// Closes the pipe, which tells the guardian to end, and waits for it, whose every step has a deadline.
void EmulatedHosts::end() {
    to_guardian_.reset();
    if (guardian_ < 0) return;
    while (::waitpid(guardian_, nullptr, 0) < 0 && errno == EINTR) {
    }
    guardian_ = -1;
}

/// Empty where the guardian has ended or says nothing in time.
std::string EmulatedHosts::next_line(std::chrono::milliseconds deadline, EndsBySignal by_signal) {
    const auto until = Clock::now() + deadline;
    const auto signals = by_signal == EndsBySignal::yes ? file_of_held_signals() : Descriptor();
    std::string line;
    while (!line.ends_with('\n')) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        std::array<pollfd, 2> ends{{{.fd = from_guardian_.get(), .events = POLLIN, .revents = 0},
                                    {.fd = signals.get(), .events = POLLIN, .revents = 0}}};
        const int ready = left > 0 ? ::poll(ends.data(), ends.size(), static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ends[1].revents != 0) throw InterruptedError("interrupted while the hosts were made");
        char letter = 0;
        if (ready <= 0 || ::read(from_guardian_.get(), &letter, 1) != 1) return "";
        line += letter;
    }
    return line;
}

std::vector<std::string> cluster_arguments(const ClusterSpec& cluster, std::int64_t hosts) {
    std::vector<std::string> words{"--hosts", std::to_string(hosts)};
    const auto add = [&](const char* option, auto HostSpec::*limit) {
        std::vector<std::string> texts;
        for (std::int64_t host = 0; host < hosts; ++host) {
            const auto value = cluster.host(host).*limit;
            texts.push_back(value ? fmt::format("{}", *value) : "");
        }
        if (std::ranges::all_of(texts, &std::string::empty)) return;
        const bool alike = std::ranges::adjacent_find(texts, std::ranges::not_equal_to{}) == texts.end();
        words.insert(words.end(), {option, alike ? texts.front() : fmt::format("{}", fmt::join(texts, ","))});
    };
    add("--link-mbit", &HostSpec::link_mbit);
    add("--cpu", &HostSpec::cpu);
    add("--memory-mb", &HostSpec::memory_mb);
    return words;
}

double cores_of_host(const ClusterSpec& cluster, std::int64_t host, std::int64_t hosts, int cores) {
    std::vector<double> limits;
    for (std::int64_t other = 0; other < hosts; ++other)
        limits.push_back(cluster.host(other).cpu.value_or(cores));
    const auto own = limits.at(static_cast<std::size_t>(host));
    std::ranges::sort(limits);
    double left = cores;
    double share = 0.0;
    for (auto hosts_left = std::ssize(limits); const auto limit : limits) {
        share = left / static_cast<double>(hosts_left--);
        if (limit >= share) break;  // so do all others, which have this share then
        left -= limit;
    }
    return std::min(own, share);
}

double cores_of_host(const ExperimentSpec& spec, std::int64_t rank, int cores) {
    return cores_of_host(spec.cluster.value(), spec.host_of(rank), spec.host_count(), cores);
}

int threads_on_host(const ExperimentSpec& spec, std::int64_t rank, int cores) {
    const auto neighbours = [&](std::int64_t first, std::int64_t end) {
        std::int64_t count = 0;
        for (auto other = first; other < end; ++other)
            if (spec.host_of(other) == spec.host_of(rank)) ++count;
        return count;
    };
    auto sharers = neighbours(0, spec.world_size());
    if (sharers == 0) sharers = neighbours(spec.world_size(), spec.rank_count());  // a host of servers only
    const auto share = cores_of_host(spec, rank, cores) / static_cast<double>(sharers);
    return std::clamp(static_cast<int>(share), 1, most_threads);
}

}  // namespace convoy
