#include "net/interface.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using convoy::resolve_interface;

TEST_CASE("an interface is found by name, address and network") {
    CHECK(resolve_interface("").to_string() == "127.0.0.1");
    CHECK(resolve_interface("lo").to_string() == "127.0.0.1");
    CHECK(resolve_interface("127.0.0.1").to_string() == "127.0.0.1");
    CHECK(resolve_interface("127.0.0.0/8").to_string() == "127.0.0.1");
}

TEST_CASE("the networks of this machine have the loopback's among them") {
    const auto networks = convoy::networks_here();
    CHECK(std::ranges::count(networks, boost::asio::ip::make_network_v4("127.0.0.1/8")) == 1);
}

TEST_CASE("what this machine does not have is refused with what it has") {
    for (const auto* wanted : {"nosuch0", "240.0.0.1", "240.0.0.0/8", "2001:db8::/32"}) {
        CHECK_THROWS_AS(resolve_interface(wanted), convoy::ClusterError);
        CHECK_THROWS_WITH(
            resolve_interface(wanted),
            Catch::StartsWith("interface \"" + std::string(wanted)) && Catch::Contains("lo (127.0.0.1)"));
    }
    CHECK_THROWS_WITH(resolve_interface("10.0.0.0/99"), Catch::Contains("not a network"));
}
