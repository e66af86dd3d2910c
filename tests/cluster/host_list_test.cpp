#include "cluster/host_list.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using Hosts = std::vector<HostSlots>;
using Places = std::vector<std::size_t>;

TEST_CASE("a list of hosts has their slots") {
    CHECK(parse_host_list("a:2,b:3") == Hosts{{"a", 2}, {"b", 3}});
    CHECK(parse_host_list("a") == Hosts{{"a", 1}});
    CHECK(parse_host_list("a,b,a:2,a") == Hosts{{"a", 4}, {"b", 1}});
    CHECK(parse_host_list("me@node-7.example:12,10.0.0.1") ==
          Hosts{{"me@node-7.example", 12}, {"10.0.0.1", 1}});
    CHECK(parse_host_list("[fe80::1%eth0]:2,[::1]") == Hosts{{"fe80::1%eth0", 2}, {"::1", 1}});
}

TEST_CASE("what is no list of hosts is refused, above all what ssh would take for an option") {
    for (const auto* text :
         {"",        ",",    "a,",     ":2",   "a:",  "a:0", "a:-1", "a:x", "a:10001",          "a:2:3",
          "fe80::1", "[::1", "[::1]x", "[]:1", "a b", "a;b", "$(a)", "a\n", "-oProxyCommand=x", "-a:2",
          "'a'"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_host_list(text), UsageError);
    }
    CHECK_THROWS_AS(parse_host_list(std::string(300, 'a')), UsageError);
    std::string many = "a";
    for (int i = 0; i < 10'000; ++i) many += ",a" + std::to_string(i);
    CHECK_THROWS_WITH(parse_host_list(many), Contains("more than 10000 hosts"));
}

TEST_CASE("a host file has a host on each line") {
    const TemporaryFolder folder;
    const auto file =
        folder.write("hosts", "# two machines\na slots=2\n\n  b:3  # the fast one\r\nc\n[::1] slots=4");
    CHECK(read_host_file(file) == Hosts{{"a", 2}, {"b", 3}, {"c", 1}, {"::1", 4}});
    for (const auto* line :
         {"a slots=0", "a slots=", "a 2", "a:2 slots=2", "a slots=2 more", "-x", "a max_slots=2"}) {
        INFO(line);
        folder.write("hosts", std::string("b\n") + line + "\n");
        CHECK_THROWS_AS(read_host_file(file), UsageError);
        CHECK_THROWS_WITH(read_host_file(file), Contains(file.string() + ": line 2: "));
    }
    folder.write("hosts", "# nobody\n");
    CHECK_THROWS_WITH(read_host_file(file), Contains("has no host"));
    CHECK_THROWS_AS(read_host_file(folder / "none"), MissingFileError);
}

TEST_CASE("ranks fill the slots in order, and those that a strategy adds go to the hosts in turn") {
    const Hosts hosts{{"a", 2}, {"b", 1}, {"c", 4}};
    CHECK(places_of_ranks(hosts, 4, 4) == Places{0, 0, 1, 2});
    CHECK(places_of_ranks(hosts, 2, 6) == Places{0, 0, 0, 1, 2, 0});
    CHECK_THROWS_AS(places_of_ranks(hosts, 8, 8), DisagreementError);
    CHECK_THROWS_WITH(places_of_ranks({{"a", 1}}, 2, 2), "the hosts have 1 slot, and the spec has 2 nodes");
}
