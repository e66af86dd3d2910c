#include "cluster/world_address.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using Catch::Matchers::Contains;
using convoy::address_for_world;
using convoy::ClusterError;
using convoy::World;

TEST_CASE("a world on one host meets on loopback") {
    CHECK(address_for_world(World{}, std::nullopt, "no-such-host.invalid").to_string() == "127.0.0.1");
}

TEST_CASE("a world on several hosts refuses loopback, and says which variable tells of the hosts") {
    World world;
    world.several_hosts = "SLURM_STEP_NUM_NODES is 2";
    const auto check = [&](const std::optional<std::string>& listen, const char* words) {
        CHECK_THROWS_AS(address_for_world(world, listen, "localhost"), ClusterError);
        CHECK_THROWS_WITH(address_for_world(world, listen, "localhost"),
                          Contains(words) && Contains("SLURM_STEP_NUM_NODES is 2"));
    };
    check("127.0.0.1", "--listen leads to 127.0.0.1");
    check(std::nullopt, "the host name localhost leads to");
    world.master = "localhost";
    check(std::nullopt, "MASTER_ADDR (localhost) leads to");
}

TEST_CASE("an address that is none of this machine is refused") {
    World world;
    world.master = "192.0.2.77";  // RFC 5737: of nobody
    CHECK_THROWS_WITH(
        address_for_world(world, std::nullopt, "localhost"),
        Contains("MASTER_ADDR (192.0.2.77) has the address 192.0.2.77, which is none of this machine"));
    world.master = "no-such-host.invalid";
    CHECK_THROWS_WITH(address_for_world(world, std::nullopt, "localhost"),
                      Contains("MASTER_ADDR (no-such-host.invalid) has no address"));
    world.master = "localhost";
    CHECK(address_for_world(world, std::nullopt, "x").is_loopback());
}

TEST_CASE("names of interfaces and networks hold on every host") {
    CHECK(convoy::is_of_every_host("eth0"));
    CHECK(convoy::is_of_every_host("10.0.0.0/24"));
    CHECK_FALSE(convoy::is_of_every_host("10.0.0.1"));
    CHECK_FALSE(convoy::is_of_every_host("fe80::1"));
}
