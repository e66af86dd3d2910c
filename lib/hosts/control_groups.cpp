#include "hosts/control_groups.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace convoy {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// In which processor time is dealt out, in microseconds: short, so that a host is slow and does not stutter.
constexpr double period_us = 20'000;
constexpr std::array<const char*, 2> controllers{"cpu", "memory"};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream rest(text);
    for (std::string part; std::getline(rest, part, separator);) parts.push_back(part);
    return parts;
}

/// One line of /proc/self/mountinfo: which part of a hierarchy lies where.
struct Mount {
    std::string root, point, type;
    std::vector<std::string> options;
};

std::optional<Mount> parse_mount(const std::string& line) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) return std::nullopt;
    const auto front = split(line.substr(0, dash), ' ');
    const auto back = split(line.substr(dash + 3), ' ');
    if (front.size() < 5 || back.size() < 3) return std::nullopt;
    return Mount{.root = front[3], .point = front[4], .type = back[0], .options = split(back[2], ',')};
}

/// The group that this process is in by version 1's controller, as a path from the hierarchy's top.
std::string own_group(std::string_view own_groups, const std::string& controller) {
    std::istringstream lines{std::string(own_groups)};
    for (std::string line; std::getline(lines, line);) {
        const auto names = line.find(':');
        const auto path = line.find(':', names + 1);
        if (names == std::string::npos || path == std::string::npos) continue;
        const auto listed = split(line.substr(names + 1, path - names - 1), ',');
        if (std::ranges::find(listed, controller) != listed.end()) return line.substr(path + 1);
    }
    return "/";
}

/// Where a group of the hierarchy is, if the mount shows it (a container's may show a part only).
fs::path folder_of(const Mount& mount, const std::string& group) {
    const auto inside = fs::path(group).lexically_relative(mount.root);
    const bool shown = !inside.empty() && inside != "." && *inside.begin() != "..";
    return shown ? fs::path(mount.point) / inside : fs::path(mount.point);
}

/// The whole of a control file, empty where it cannot be read.
std::string content_of(const fs::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool lists(const fs::path& file, const std::string& word) {
    std::istringstream words(content_of(file));
    for (std::string found; words >> found;)
        if (found == word) return true;
    return false;
}

/// In one write, as the kernel wants it.
void set(const fs::path& file, const std::string& value) {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (out.get() < 0 || ::write(out.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size()))
        throw ClusterError(fmt::format("emulated hosts: {} cannot be set to {}: {}", file.string(), value,
                                       std::strerror(errno)));
}

void make_folder(const fs::path& folder) {
    std::error_code problem;
    fs::create_directory(folder, problem);
    if (problem)
        throw ClusterError(fmt::format("emulated hosts: the control group {} cannot be made: {}",
                                       folder.string(), problem.message()));
}

void limit_group(const std::vector<GroupSetting>& settings, const fs::path& folder) {
    for (const auto& setting : settings)
        if (!setting.optional || fs::exists(folder / setting.file)) set(folder / setting.file, setting.value);
}

}  // namespace

ControlGroupRoots parse_control_group_roots(std::string_view mounts, std::string_view own_groups) {
    ControlGroupRoots roots;
    std::istringstream lines{std::string(mounts)};
    for (std::string line; std::getline(lines, line);) {
        const auto mount = parse_mount(line);
        if (!mount) continue;
        if (mount->type == "cgroup2" && !roots.second) roots.second = mount->point;
        if (mount->type != "cgroup") continue;
        for (const auto* controller : controllers) {
            if (std::ranges::find(mount->options, controller) != mount->options.end())
                roots.first.emplace(controller, folder_of(*mount, own_group(own_groups, controller)));
        }
    }
    return roots;
}

std::vector<GroupSetting> group_settings(const HostSpec& host, const std::string& controller, int version) {
    std::vector<GroupSetting> settings;
    if (controller == "cpu" && host.cpu) {
        const auto quota = fmt::format("{:.0f}", *host.cpu * period_us);
        const auto period = fmt::format("{:.0f}", period_us);
        if (version == 2) return {{.file = "cpu.max", .value = quota + " " + period}};
        return {{.file = "cpu.cfs_period_us", .value = period}, {.file = "cpu.cfs_quota_us", .value = quota}};
    }
    if (controller == "memory" && host.memory_mb) {
        const auto bytes = fmt::format("{}000000", *host.memory_mb);
        // What does not fit is not to be swapped out unseen.
        if (version == 2)
            return {{.file = "memory.max", .value = bytes},
                    {.file = "memory.swap.max", .value = "0", .optional = true}};
        return {{.file = "memory.limit_in_bytes", .value = bytes},
                {.file = "memory.memsw.limit_in_bytes", .value = bytes, .optional = true}};
    }
    return {};
}

std::vector<fs::path> make_control_groups(const ControlGroupRoots& roots, const HostSpec& host,
                                          const std::string& name) {
    std::vector<fs::path> folders;
    for (const std::string controller : controllers) {
        if (group_settings(host, controller, 2).empty()) continue;
        if (const auto root = roots.first.find(controller); root != roots.first.end()) {
            folders.push_back(root->second / name);
            make_folder(folders.back());
            limit_group(group_settings(host, controller, 1), folders.back());
            continue;
        }
        if (!roots.second || !lists(*roots.second / "cgroup.controllers", controller)) {
            throw ClusterError(
                fmt::format("emulated hosts: this machine has no control group controller {}; set {} to null",
                            controller, controller == "cpu" ? "cluster.cpu" : "cluster.memory_mb"));
        }
        if (!lists(*roots.second / "cgroup.subtree_control", controller))
            set(*roots.second / "cgroup.subtree_control", "+" + controller);
        const auto folder = *roots.second / name;
        if (std::ranges::find(folders, folder) == folders.end()) {
            folders.push_back(folder);
            make_folder(folder);
        }
        limit_group(group_settings(host, controller, 2), folder);
    }
    return folders;
}

std::vector<fs::path> folders_of(const ControlGroupRoots& roots) {
    std::vector<fs::path> folders;
    for (const auto& [controller, folder] : roots.first) folders.push_back(folder);
    if (roots.second) folders.push_back(*roots.second);
    return folders;
}

bool ran_out_of_memory(const std::vector<fs::path>& folders) {
    for (const auto& folder : folders) {
        for (const auto* file : {"memory.events", "memory.oom_control"}) {
            std::istringstream counters(content_of(folder / file));
            std::int64_t count = 0;
            for (std::string name; counters >> name >> count;)
                if (name == "oom_kill" && count > 0) return true;
        }
    }
    return false;
}

bool remove_control_group(const fs::path& folder) {
    const auto until = Clock::now() + 10s;
    while (::rmdir(folder.c_str()) != 0 && errno != ENOENT) {
        if (errno != EBUSY || Clock::now() > until) return false;
        std::istringstream processes(content_of(folder / "cgroup.procs"));
        for (pid_t process = 0; processes >> process;)
            if (process > 0) ::kill(process, SIGKILL);  // 0: in a namespace that this one does not see
        std::this_thread::sleep_for(10ms);
    }
    return true;
}

}  // namespace convoy
