#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <regex>
#include <string>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Contains;
using nlohmann::json;

namespace {

struct Sent {
    std::int64_t bytes = 0, frames = 0;
};

/// What a plan says that rank 0 sends in a step.
Sent planned(const std::string& plan) {
    static const std::regex line("rank 0 sends ([0-9]+) bytes in ([0-9]+) frames");
    Sent sum;
    for (std::sregex_iterator found(plan.begin(), plan.end(), line), end; found != end; ++found) {
        sum.bytes += std::stol((*found)[1]);
        sum.frames += std::stol((*found)[2]);
    }
    return sum;
}

/// What node 0 sent in a run of so many steps.
std::int64_t measured(const TemporaryFolder& folder, json spec, int steps) {
    spec["max_steps"] = steps;
    const auto run = run_spec(folder, spec, fmt::format("run-{}", steps));
    const auto sent = json_of(run / "summary.json").at("communication").at("bytes_sent_per_node").at(0);
    std::filesystem::remove_all(run);
    return sent.get<std::int64_t>();
}

}  // namespace

TEST_CASE("bytes that a plan states are those that a node sends in a step", "[large]") {
    struct Setting {
        int nodes;
        const char* strategy;
        int micro_batch_size = 0;
    };
    const auto setting = GENERATE(
        Setting{2, R"({"algorithm": "auto"})"},
        Setting{3, R"({"algorithm": "ring", "wire_type": "bfloat16"})"},
        Setting{5, R"({"algorithm": "tree"})"}, Setting{3, R"({"algorithm": "halving_doubling"})"},
        Setting{5, R"({"algorithm": "recursive_doubling"})"}, Setting{4, R"({"algorithm": "pairwise"})"},
        Setting{4, R"({"algorithm": "hierarchical", "connections": 2})"},
        Setting{3, R"({"wire_type": "top_k", "top_k": {"fraction": 0.1}})"},
        Setting{4, R"({"algorithm": "auto"})", 3});
    CAPTURE(setting.nodes, setting.strategy, setting.micro_batch_size);
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["nodes"] = nodes(setting.nodes);
    spec["strategy"].update(json::parse(setting.strategy));
    if (setting.micro_batch_size > 0) spec["micro_batch_size"] = setting.micro_batch_size;
    const auto plan = run_convoy({"plan", write_spec(folder, spec)});
    REQUIRE(plan.code == 0);
    const auto stated = planned(plan.out);
    REQUIRE(stated.bytes > 0);

    // Steps that differ leave out everything that a run sends once.
    constexpr int few = 2, many = 7;
    constexpr std::int64_t header_bytes = 48;
    const auto per_step =
        (measured(folder, spec, many) - measured(folder, spec, few)) / static_cast<double>(many - few);
    CHECK(per_step - static_cast<double>(header_bytes * stated.frames) ==
          Approx(static_cast<double>(stated.bytes)).epsilon(0.01));
}

TEST_CASE("a plan shows each class of nodes once") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto alike = run_convoy({"plan", write_spec(folder, spec)}).out;
    CHECK_THAT(alike, Contains("train program of rank 0 of 2, 12 examples") && !Contains("of rank 1") &&
                          !Contains("ranks 0 to 1:"));
    spec["nodes"] = nodes(5);
    const auto apart = run_convoy({"plan", write_spec(folder, spec)}).out;
    CHECK_THAT(apart, Contains("\nranks 0 to 3, replica:\ntrain program of rank 0 of 5, 5 examples") &&
                          Contains("\nrank 4, replica:\ntrain program of rank 4 of 5, 4 examples"));
    // Synchronised statistics have a rank in their operators, which makes no class.
    spec["nodes"] = nodes(3);
    spec["model"]["layers"].insert(spec["model"]["layers"].begin() + 1,
                                   json::parse(R"({"type": "batch_norm"})"));
    spec["strategy"]["batch_norm_statistics"] = "synchronised";
    CHECK_THAT(run_convoy({"plan", write_spec(folder, spec)}).out,
               Contains("_BatchNormMoments") && !Contains("of rank 1"));
}

TEST_CASE("a plan says how each exchange is done") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["nodes"] = nodes(4);
    spec["strategy"] = {{"name", "ring_allreduce"}, {"bucket_bytes", 1}, {"connections", 2}};
    CHECK_THAT(run_convoy({"plan", write_spec(folder, spec)}).out,
               Contains("  (recursive_doubling of float32 on connection 0)\n") &&
                   Contains("exchange bucket_1: recursive_doubling of float32 on connection 1, "));
    spec["strategy"]["wire_type"] = "top_k";
    spec["strategy"]["algorithm"] = "ring";
    CHECK_THAT(run_convoy({"plan", write_spec(folder, spec)}).out,
               Contains("ring gathering of top_k 0.01 on connection 0"));
}

TEST_CASE("a plan says how often a step runs each program, and what travels") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto whole = run_convoy({"plan", write_spec(folder, spec, "whole.json")});
    spec["micro_batch_size"] = 4;
    const auto micro = run_convoy({"plan", write_spec(folder, spec, "micro.json")});
    CHECK(micro.out.find("3 times in a step: gradients program of rank 0 of 2, 4 examples") !=
          std::string::npos);
    const auto sent = [](const std::string& text) {
        const auto end = text.find(" bytes sent");
        return std::stol(text.substr(text.rfind(' ', end - 1) + 1));
    };
    CHECK(sent(micro.out) == 2 * sent(whole.out));

    spec.erase("micro_batch_size");
    spec["strategy"]["algorithm"] = "tree";
    const auto tree = run_convoy({"plan", write_spec(folder, spec, "tree.json")});
    CHECK(sent(tree.out) == sent(whole.out));  // of two ranks each sends all of it, whatever the algorithm
    spec["strategy"] = {{"name", "local_sgd"}, {"average_every", 3}};
    const auto apart = run_convoy({"plan", write_spec(folder, spec, "apart.json")});
    CHECK(sent(apart.out) == 0);
    CHECK_THAT(apart.out,
               Contains(fmt::format("every 3 steps an average of weights: {} bytes sent", sent(whole.out))));
}
