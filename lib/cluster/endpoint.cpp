#include "cluster/endpoint.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/error.hpp"

namespace convoy {

namespace asio = boost::asio;

namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

}  // namespace

std::string endpoint_text(const asio::ip::tcp::endpoint& endpoint) {
    return host_port_text(endpoint.address().to_string(), endpoint.port());
}

std::string host_port_text(std::string_view host, std::uint16_t port) {
    const bool is_v6 = host.find(':') != std::string_view::npos;
    return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

HostPort split_host_port(std::string_view text) {
    const auto colon = text.rfind(':');
    const auto host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    const bool plain = !host.empty() && host.find_first_of(":[]") == std::string_view::npos;
    if (colon == std::string_view::npos || !(bracketed || plain) || !parse_port(text.substr(colon + 1)))
        throw UsageError(fmt::format("'{}' is not HOST:PORT, as in 10.0.0.1:4444 or [fe80::1]:4444", text));
    return {.host = std::string(bracketed ? host.substr(1, host.size() - 2) : host),
            .port = std::string(text.substr(colon + 1))};
}

ListenAddress split_listen_address(std::string_view text) {
    const bool bracketed = text.size() > 2 && text.front() == '[';
    const auto colon = text.rfind(':');
    // Several colons without brackets are an IPv6 address.
    const bool portless = bracketed ? text.back() == ']' : text.find(':') != colon || colon == text.npos;
    const auto host = portless ? text : text.substr(0, colon);
    const auto port = portless ? "0" : text.substr(colon + 1);
    const auto number = port == "0" ? std::optional<std::uint16_t>(0) : parse_port(port);
    const bool closed = host.size() > 2 && host.back() == ']';
    if (host.empty() || (host.front() == '[' && !closed) || !number)
        throw UsageError(
            fmt::format("'{}' is not ADDRESS[:PORT], as in 10.0.0.1, 10.0.0.1:4444 or [fe80::1]:4444", text));
    return {.address = std::string(bracketed ? host.substr(1, host.size() - 2) : host), .port = *number};
}

asio::ip::tcp::endpoint parse_endpoint(std::string_view text) {
    try {
        const auto [host, port] = split_host_port(text);
        return {asio::ip::make_address(host), parse_port(port).value()};
    } catch (const std::exception&) {
        throw DataError(fmt::format("a node's address is '{}', not ADDRESS:PORT", text));
    }
}

}  // namespace convoy
