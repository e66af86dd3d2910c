#include "hosts/host_guardian.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "hosts/host_set.hpp"

namespace convoy {

using nlohmann::json;

namespace {

/// The launcher may be gone, and then nobody wants to know.
void say(int out, const std::string& line) {
    [[maybe_unused]] const auto written = ::write(out, line.data(), line.size());
}

void wait_for_end(int in) {
    std::array<char, 64> ignored{};
    ssize_t count = 0;
    do count = ::read(in, ignored.data(), ignored.size());
    while (count > 0 || (count < 0 && errno == EINTR));
}

/// A shell that became root without a login may not have them.
void add_system_programs_to_path() {
    const char* path = std::getenv("PATH");
    ::setenv("PATH",
             ((path == nullptr ? std::string() : std::string(path) + ":") + "/usr/sbin:/sbin").c_str(), 1);
}

std::string as_line(const json& content) {
    return json_text(content) + "\n";
}

/// What read makes of a guardian's line. Throws the Error that the line tells.
template <typename Read>
auto read_line(const std::string& line, const Read& read) {
    json content;
    try {
        content = json::parse(line);
    } catch (const json::exception&) {
        throw ClusterError(
            "emulated hosts: their guardian ended without a word; run again, or leave cluster out");
    }
    try {
        if (content.contains("problem"))
            throw Error(static_cast<ExitCode>(integer_of<int>(content.at("code"))),
                        content.at("problem").get<std::string>());
        return read(content);
    } catch (const json::exception&) {
        throw DataError(
            "emulated hosts: their guardian does not speak this launcher's language; install one convoy");
    }
}

}  // namespace

std::string hosts_line(const GuardedHosts& hosts) {
    json content{{"name", hosts.plan.name},
                 {"link_mbit", json::array()},
                 {"network", hosts.plan.network.network().to_string()},
                 {"control_groups", json::array()}};
    for (const auto& rate : hosts.plan.link_mbit) content["link_mbit"].push_back(rate ? json(*rate) : json());
    for (const auto& folders : hosts.control_groups) {
        auto& list = content["control_groups"].emplace_back(json::array());
        for (const auto& folder : folders) list.push_back(folder.string());
    }
    return as_line(content);
}

std::string problem_line(const std::exception& problem) {
    const auto* error = dynamic_cast<const Error*>(&problem);
    const auto code = error != nullptr ? error->code() : ExitCode::bug;
    return as_line({{"code", static_cast<int>(code)}, {"problem", problem.what()}});
}

std::string leftovers_line(const std::vector<std::string>& leftovers) {
    return as_line({{"leftovers", leftovers}});
}

GuardedHosts parse_hosts_line(const std::string& line) {
    return read_line(line, [](const json& content) {
        GuardedHosts hosts;
        hosts.plan.name = content.at("name").get<std::string>();
        hosts.plan.network = {boost::asio::ip::make_address_v4(content.at("network").get<std::string>()), 24};
        for (const auto& rate : content.at("link_mbit"))
            hosts.plan.link_mbit.push_back(rate.is_null() ? std::nullopt : std::optional(rate.get<double>()));
        for (const auto& folders : content.at("control_groups")) {
            auto& list = hosts.control_groups.emplace_back();
            for (const auto& folder : folders) list.emplace_back(folder.get<std::string>());
        }
        return hosts;
    });
}

std::vector<std::string> parse_leftovers_line(const std::string& line) {
    return read_line(
        line, [](const json& content) { return content.at("leftovers").get<std::vector<std::string>>(); });
}

int guard_hosts(const ClusterSpec& cluster, std::int64_t hosts, int in, int out) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
    add_system_programs_to_path();
    try {
        HostSet set(cluster, hosts);
        GuardedHosts guarded{.plan = set.plan(), .control_groups = {}};
        for (std::int64_t host = 0; host < hosts; ++host)
            guarded.control_groups.push_back(set.control_groups(host));
        say(out, hosts_line(guarded));
        wait_for_end(in);
        say(out, leftovers_line(set.remove()));
    } catch (const std::exception& problem) {
        say(out, problem_line(problem));
        return static_cast<int>(ExitCode::unavailable);
    }
    return 0;
}

}  // namespace convoy
