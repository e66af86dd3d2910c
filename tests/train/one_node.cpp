#include "train/one_node.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "train/memory_cluster.hpp"
#include "train/noise_images.hpp"

namespace convoy::test {

using nlohmann::json;

namespace {

const std::filesystem::path& data_folder() {
    static const NoiseImages images(66, 6);
    return images.folder();
}

/// The weights of one node after so many steps.
std::vector<std::byte> weights_after(json spec, std::int64_t steps) {
    spec["max_steps"] = steps;
    return run_memory_cluster(parse_spec(spec), 1, {.data_folder = data_folder()}).at(0).weights;
}

}  // namespace

std::vector<double> losses_of(json json_spec, std::int64_t nodes) {
    json_spec["nodes"] = nodes;
    const auto spec = parse_spec(json_spec);
    MemoryClusterOptions options{.data_folder = data_folder()};
    for (std::int64_t rank = 0; rank < ranks_of(spec); ++rank) options.host_of_rank.push_back(rank / 2);
    const auto cluster = run_memory_cluster(spec, nodes, options);
    std::string failures;
    for (const auto& node : cluster)
        if (!node.end.message.empty()) failures += node.end.message + "; ";
    REQUIRE(failures == "");
    return step_losses(cluster);
}

double largest_difference(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        largest = std::max(largest, std::abs(found.at(i) - expected[i]) / expected[i]);
    return largest;
}

OneNode::OneNode(const std::string& network, Networks networks)
    : trained_(spec_of_20_steps(network)), networks_(networks) {
    CHECK(weights_after(trained_, 1) != weights_after(trained_, 0));
}

void OneNode::check(const TrainingCases& cases, const std::vector<std::int64_t>& node_counts) {
    for (const auto& each : cases) {
        if (networks_ == Networks::all && each.networks != Networks::all) continue;
        auto alone = trained_;
        alone.merge_patch(json::parse(each.training));
        auto together = alone;
        together.merge_patch(json::parse(each.strategy));
        alone["strategy"] = "local";
        if (!losses_.contains(alone)) losses_[alone] = losses_of(alone, 1);
        const auto& losses = losses_[alone];
        REQUIRE(losses.size() == 20);
        for (const auto nodes : node_counts) {
            const auto found = losses_of(together, nodes);
            INFO(each.name << " on " << nodes << " nodes");
            REQUIRE(found.size() == losses.size());
            CHECK(largest_difference(found, losses) < 1e-4);
        }
    }
}

}  // namespace convoy::test
