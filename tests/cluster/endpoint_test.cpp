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

TEST_CASE("a host may be a name") {
    const auto [host, port] = split_host_port("node-7.example:4444");
    CHECK(host == "node-7.example");
    CHECK(port == "4444");
    CHECK(split_host_port("[::1]:9").host == "::1");
    CHECK_THROWS_WITH(split_host_port("node7"),
                      "'node7' is not HOST:PORT, as in 10.0.0.1:4444 or [fe80::1]:4444");
    CHECK_THROWS_AS(split_host_port("node7:http"), convoy::UsageError);
}
