#include "exchange/host_map.hpp"

#include <catch2/catch.hpp>

#include "net/tcp_fabric.hpp"

using convoy::HostMap;

namespace {

using Ranks = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a host map knows neighbours and leaders, whatever hosts are called") {
    const HostMap hosts({5, 2, 5, 2, 2, 9});
    CHECK(hosts.world_size() == 6);
    CHECK(hosts.leaders() == Ranks{0, 1, 5});
    CHECK(hosts.neighbours(4) == Ranks{1, 3, 4});
    CHECK(hosts.neighbours(2) == Ranks{0, 2});
    CHECK(hosts.neighbours(5) == Ranks{5});
    CHECK(hosts.most_on_a_host() == 3);
}

TEST_CASE("ranks behind one address share a host") {
    using boost::asio::ip::make_address;
    const std::vector<boost::asio::ip::tcp::endpoint> endpoints{
        {make_address("10.0.0.1"), 5000}, {make_address("10.0.0.2"), 5000}, {make_address("10.0.0.1"), 5001}};
    CHECK(convoy::host_of_rank(endpoints) == Ranks{0, 1, 0});
}

TEST_CASE("by itself a rank has a host of its own") {
    const HostMap hosts(3);
    CHECK(hosts.leaders() == Ranks{0, 1, 2});
    CHECK(hosts.neighbours(1) == Ranks{1});
    CHECK(hosts.most_on_a_host() == 1);
}
