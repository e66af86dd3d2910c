#include "cluster/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/count_text.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"

namespace convoy {

namespace {

constexpr std::int64_t most_slots = 10'000;
constexpr std::size_t most_listed_hosts = 10'000;
constexpr std::size_t most_file_bytes = std::size_t{1} << 20U;
constexpr std::size_t longest_host = 255;

[[noreturn]] void refuse(std::string_view text) {
    throw UsageError(fmt::format("'{}' is no host with its slots, as in node7:2", printable(text)));
}

std::int64_t parse_slots(std::string_view text, std::string_view whole) {
    std::int64_t slots = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
    if (error != std::errc{} || end != text.data() + text.size() || slots < 1 || slots > most_slots)
        throw UsageError(fmt::format("'{}': expected 1 to {} slots", printable(whole), most_slots));
    return slots;
}

/// ssh would take a word with a dash in front for an option.
void require_host(std::string_view host, std::string_view whole) {
    const auto fits = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') ||
               std::string_view("-._@:%").find(letter) != std::string_view::npos;
    };
    if (host.empty() || host.size() > longest_host || host.front() == '-' || !std::ranges::all_of(host, fits))
        refuse(whole);
}

HostSlots parse_host(std::string_view text) {
    HostSlots found;
    const bool bracketed = !text.empty() && text.front() == '[';
    const auto close = bracketed ? text.find(']') : 0;
    if (close == std::string_view::npos) refuse(text);
    const auto colon = text.find(':', close);
    if (colon != std::string_view::npos) found.slots = parse_slots(text.substr(colon + 1), text);
    auto host = text.substr(0, colon);
    if (bracketed) {
        if (host.back() != ']') refuse(text);
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        refuse(text);
    }
    require_host(host, text);
    found.host = host;
    return found;
}

/// A line of a host file without its comment.
HostSlots parse_line(const std::string& line) {
    std::istringstream words(line);
    std::string host, more, rest;
    words >> host >> more >> rest;
    auto found = parse_host(host);
    constexpr std::string_view key = "slots=";
    if (more.empty()) return found;
    const bool has_slots = host.back() != ']' && host.find(':') != std::string::npos;
    if (has_slots || !rest.empty() || !more.starts_with(key))
        throw UsageError(fmt::format("'{}': expected a host, or a host and slots=N", printable(line)));
    found.slots = parse_slots(std::string_view(more).substr(key.size()), line);
    return found;
}

/// A host that is listed several times has the sum of its slots.
void add_host(std::vector<HostSlots>& hosts, HostSlots found) {
    const auto same = std::ranges::find(hosts, found.host, &HostSlots::host);
    if (same == hosts.end()) {
        hosts.push_back(std::move(found));
    } else {
        same->slots = std::min(same->slots + found.slots, most_slots);
    }
}

}  // namespace

std::vector<HostSlots> parse_host_list(std::string_view text) {
    std::vector<HostSlots> hosts;
    while (true) {
        const auto comma = text.find(',');
        add_host(hosts, parse_host(text.substr(0, comma)));
        if (hosts.size() > most_listed_hosts)
            throw UsageError(fmt::format("more than {} hosts", most_listed_hosts));
        if (comma == std::string_view::npos) return hosts;
        text.remove_prefix(comma + 1);
    }
}

std::vector<HostSlots> read_host_file(const std::filesystem::path& file) {
    std::istringstream lines(read_text(file, most_file_bytes));
    std::vector<HostSlots> hosts;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        try {
            add_host(hosts, parse_line(line));
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: line {}: {}", file.string(), number, error.what()));
        }
        if (hosts.size() > most_listed_hosts)
            throw UsageError(fmt::format("{}: more than {} hosts", file.string(), most_listed_hosts));
    }
    if (hosts.empty()) throw UsageError(fmt::format("{}: has no host", file.string()));
    return hosts;
}

std::vector<std::size_t> places_of_ranks(const std::vector<HostSlots>& hosts, std::int64_t nodes,
                                         std::int64_t ranks) {
    std::vector<std::size_t> places;
    std::int64_t slots = 0;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        slots += hosts[host].slots;
        for (std::int64_t slot = 0; slot < hosts[host].slots && std::ssize(places) < nodes; ++slot)
            places.push_back(host);
    }
    if (slots < nodes)
        throw DisagreementError(
            fmt::format("the hosts have {}, and the spec has {} nodes", count_text(slots, "slot"), nodes));
    for (std::size_t added = 0; std::ssize(places) < ranks; ++added) places.push_back(added % hosts.size());
    return places;
}

}  // namespace convoy
