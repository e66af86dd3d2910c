#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"

using convoy::endpoint_text;
using convoy::parse_endpoint;
using convoy::split_host_port;

TEST_CASE("endpoints survive their text") {
    for (const auto* text : {"127.0.0.1:4444", "[::1]:1", "[fe80::1]:65535"})
        CHECK(endpoint_text(parse_endpoint(text)) == text);
}

TEST_CASE("what is no endpoint is refused") {
    for (const auto* text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
                             "127.0.0.1:1x", "::1:4444", "[::1]", "[]:1", "node7:1", ":1", "127.0.0.1:-1"})
        CHECK_THROWS_AS(parse_endpoint(text), convoy::DataError);
}

TEST_CASE("an address to listen at may have a port") {
    using convoy::split_listen_address;
    const auto check = [](const char* text, const char* address, int port) {
        const auto split = split_listen_address(text);
        CHECK(split.address == address);
        CHECK(split.port == port);
    };
    check("10.0.0.1", "10.0.0.1", 0);
    check("10.0.0.1:0", "10.0.0.1", 0);
    check("10.0.0.1:4444", "10.0.0.1", 4444);
    check("10.1.0.0/16:4444", "10.1.0.0/16", 4444);
    check("eth0", "eth0", 0);
    check("fe80::1", "fe80::1", 0);
    check("[fe80::1]", "fe80::1", 0);
    check("[fe80::1]:4444", "fe80::1", 4444);
    for (const auto* text :
         {"", ":", ":1", "10.0.0.1:", "10.0.0.1:65536", "10.0.0.1:x", "[]:1", "[]", "[fe80::1:1"})
        CHECK_THROWS_AS(split_listen_address(text), convoy::UsageError);
}

TEST_CASE("a host may be a name") {
    const auto [host, port] = split_host_port("node-7.example:4444");
    CHECK(host == "node-7.example");
    CHECK(port == "4444");
    CHECK(split_host_port("[::1]:9").host == "::1");
    CHECK_THROWS_WITH(split_host_port("node7"),
                      "'node7' is not HOST:PORT, as in 10.0.0.1:4444 or [fe80::1]:4444");
    CHECK_THROWS_AS(split_host_port("node7:http"), convoy::UsageError);
}
