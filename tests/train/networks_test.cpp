// Every strategy that is synchronous trains the networks of the theses on 2 to 5 nodes as one node does.
// Smaller networks test all options of a strategy (strategies_test.cpp, pipelines_test.cpp). The
// same over TCP: ../end_to_end/strategies_over_tcp_test.cpp.

#include <catch2/catch.hpp>
#include <string>

#include "train/one_node.hpp"
#include "train/thesis_networks.hpp"

using namespace convoy::test;

namespace {

void check(const std::string& name) {
    const auto network = thesis_network(name);
    OneNode one_node(network.patch, network.networks);
    for (const int nodes : {2, 3, 4, 5}) one_node.check(one_of_each_strategy(nodes), {nodes});
}

}  // namespace

TEST_CASE("every strategy trains mnist_cnn on 2 to 5 nodes as one node does", "[large]") {
    check("mnist_cnn");
}

TEST_CASE("every strategy trains two_conv on 2 to 5 nodes as one node does", "[large]") {
    check("two_conv");
}

TEST_CASE("every strategy trains landcover on 2 to 5 nodes as one node does", "[large]") {
    check("landcover");
}

TEST_CASE("every strategy trains resnet_v2 on 2 to 5 nodes as one node does", "[large]") {
    check("resnet_v2");
}
