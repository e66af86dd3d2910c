// Every strategy that is synchronous trains the networks of the theses over TCP, in processes of their own,
// as one node does. The same within one process: ../train/networks_test.cpp.

#include <catch2/catch.hpp>
#include <string>

#include "small_experiment.hpp"
#include "train/noise_images.hpp"
#include "train/thesis_networks.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// The losses of all steps of a run that takes its images from a folder.
std::vector<double> losses_over_tcp(const TemporaryFolder& folder, const NoiseImages& images,
                                    const json& spec) {
    const auto out = folder / "run";
    std::filesystem::remove_all(out);
    const auto outcome =
        run_convoy({"run", write_spec(folder, spec), "--out", out.string()}, {.data = images.folder()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return losses_of(out);
}

void check(const std::string& name, std::initializer_list<int> node_counts) {
    const auto network = thesis_network(name);
    const NoiseImages images(66, 6);
    const TemporaryFolder folder;
    auto alone = spec_of_20_steps(network.patch);
    alone["strategy"] = "local";
    alone["nodes"] = nodes(1);
    const auto expected = losses_over_tcp(folder, images, alone);
    REQUIRE(expected.size() == 20);
    for (const int count : node_counts) {
        for (const auto& strategy : one_of_each_strategy(count)) {
            if (network.networks == Networks::all && strategy.networks != Networks::all) continue;
            INFO(strategy.name << " on " << count << " nodes");
            auto together = spec_of_20_steps(network.patch);
            together.merge_patch(json::parse(strategy.strategy));
            together["nodes"] = nodes(count);
            const auto found = losses_over_tcp(folder, images, together);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(found[i] == Approx(expected[i]).epsilon(1e-4));
        }
    }
}

}  // namespace

TEST_CASE("every strategy trains two_conv over TCP on 2 to 5 nodes as one node does", "[large]") {
    check("two_conv", {2, 3, 4, 5});
}

TEST_CASE("every strategy trains mnist_cnn over TCP on 2 to 5 nodes as one node does", "[large]") {
    check("mnist_cnn", {2, 3, 4, 5});
}

TEST_CASE("every strategy trains landcover over TCP on 2 and 3 nodes as one node does", "[large]") {
    check("landcover", {2, 3});
}

TEST_CASE("every strategy trains landcover over TCP on 4 and 5 nodes as one node does", "[large]") {
    check("landcover", {4, 5});
}

TEST_CASE("every strategy trains resnet_v2 over TCP on 2 to 5 nodes as one node does", "[large]") {
    check("resnet_v2", {2, 3, 4, 5});
}
