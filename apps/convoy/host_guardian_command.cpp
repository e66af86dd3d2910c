#include "host_guardian_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/split.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "command_line.hpp"
#include "hosts/host_guardian.hpp"
#include "spec/parse.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

/// An option, and the field of a spec that it stands for.
struct LimitOption {
    const char* option;
    const char* field;
};
constexpr std::array<LimitOption, 3> limit_options{
    {{"link-mbit", "link_mbit"}, {"cpu", "cpu"}, {"memory-mb", "memory_mb"}}};

/// The numbers of a list with commas; null for an empty place.
std::vector<nlohmann::json> limits_given(const options::variables_map& given, const char* option) {
    std::vector<std::string> texts;
    boost::algorithm::split(texts, given[option].as<std::string>(), [](char c) { return c == ','; });
    std::vector<nlohmann::json> limits;
    for (const auto& text : texts) {
        const auto& limit = limits.emplace_back(text.empty() ? nlohmann::json()
                                                             : nlohmann::json::parse(text, nullptr, false));
        if (!limit.is_number() && !limit.is_null())
            throw UsageError(
                fmt::format("--{}: found \"{}\", expected a number, or one for each host", option, text));
    }
    return limits;
}

}  // namespace

options::options_description cluster_options_described() {
    auto described =
        option_group("emulated hosts, which need root; a list has a limit for each host, as in --cpu 1,0.5");
    described.add_options()  //
        ("hosts", options::value<std::int64_t>()->value_name("N"),
         "number of hosts; consecutive processes share a host")  //
        ("link-mbit", options::value<std::string>()->value_name("LIST"),
         "rate of each host's link, each way, in 10^6 bits a second")  //
        ("cpu", options::value<std::string>()->value_name("LIST"),
         "processor time of each host, in cores")  //
        ("memory-mb", options::value<std::string>()->value_name("LIST"),
         "memory of each host, in 10^6 bytes");
    return described;
}

nlohmann::json cluster_json_given(const options::variables_map& given) {
    nlohmann::json cluster;
    std::optional<std::int64_t> hosts;
    if (given.contains("hosts")) {
        hosts = given["hosts"].as<std::int64_t>();
        cluster["hosts"] = *hosts;
    }
    auto own = nlohmann::json::array();
    for (const auto& [option, field] : limit_options) {
        if (!given.contains(option)) continue;
        const auto limits = limits_given(given, option);
        if (limits.size() == 1) {
            cluster[field] = limits.front();
            continue;
        }
        if (!hosts) hosts = std::ssize(limits);
        if (std::ssize(limits) != *hosts || std::ssize(limits) > most_hosts)
            throw UsageError(
                fmt::format("--{}: found {} limits, expected one for each of {} hosts, or one for all",
                            option, limits.size(), *hosts));
        own.get_ref<nlohmann::json::array_t&>().resize(limits.size(), nlohmann::json::object());
        for (std::size_t host = 0; host < limits.size(); ++host) own[host][field] = limits[host];
    }
    if (!own.empty()) cluster["hosts"] = std::move(own);
    return cluster;
}

int host_guardian_command(std::span<const std::string> arguments) {
    const CommandForm form{.name = "host-guardian",
                           .arguments = {},
                           .summary = "started by runs with emulated hosts",
                           .options = cluster_options_described()};
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    auto content = cluster_json_given(given);
    if (content.is_null()) content = nlohmann::json::object();
    ClusterSpec cluster;
    try {
        cluster = parse_cluster(content, "convoy host-guardian");
    } catch (const DataError& refused) {
        throw UsageError(refused.what());
    }
    return guard_hosts(cluster, cluster.hosts_for(1), STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace convoy
