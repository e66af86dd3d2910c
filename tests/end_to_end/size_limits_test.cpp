#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "small_experiment.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A network of these layers and a classifier, on one node.
json spec_with(json layers) {
    auto spec = small_spec();
    layers.push_back({{"type", "flatten"}});
    layers.push_back({{"type", "dense"}, {"units", 10}, {"activation", "softmax"}});
    spec["model"] = {{"input", {1, 28, 28}}, {"layers", std::move(layers)}};
    spec["nodes"] = nodes(1);
    return spec;
}

/// plan and run of the spec end with 65 and one line that has these words. Nothing is left behind.
void check_refused(const json& spec, const std::vector<std::string>& words) {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, spec);
    for (const auto& command : {std::vector<std::string>{"plan", file},
                                {"run", file, "--dry-run"},
                                {"run", file, "--out", (folder / "out").string()}}) {
        const auto outcome = run_convoy(command);
        CAPTURE(command.front(), outcome.err);
        CHECK(outcome.code == 65);
        for (const auto& word : words) CHECK_THAT(outcome.err, Contains(word));
        CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        CHECK(outcome.out.empty());
    }
    CHECK(folder.entries() == 1);  // the spec
}

/// Adds a dense layer before the last layer.
void add_wide_layer(json& spec, int units) {
    auto& layers = spec["model"]["layers"];
    const json wide{{"type", "dense"}, {"units", units}};
    layers.insert(layers.end() - 1, wide);
}

/// A chain of this many dense layers of two units.
json deep_chain(std::size_t layers) {
    auto list = json::array({{{"type", "flatten"}}});
    while (list.size() + 1 < layers) list.push_back({{"type", "dense"}, {"units", 2}});
    list.push_back({{"type", "dense"}, {"units", 10}, {"activation", "softmax"}});
    return {{"input", {1, 28, 28}}, {"layers", std::move(list)}};
}

}  // namespace

TEST_CASE("a chain of concatenations that wraps around 64 bits is refused by its layer") {
    auto layers = json::array();
    for (int i = 0; i < 12; ++i) {
        const auto before = i == 0 ? std::string("images") : "c" + std::to_string(i - 1);
        layers.push_back({{"type", "concat"},
                          {"name", "c" + std::to_string(i)},
                          {"inputs", std::vector<std::string>(64, before)}});
    }
    check_refused(spec_with(layers), {"$.model.layers[5] (c5)", "2^45 elements"});
}

TEST_CASE("convolutions that wrap around 64 bits are refused by their layer") {
    const json wide{{"type", "conv2d"}, {"filters", 1 << 20}, {"kernel", 1024}, {"padding", "same"}};
    check_refused(spec_with(json::array({wide, wide})), {"$.model.layers[1] (conv2d_2)", "2^45 elements"});
}

TEST_CASE("layers that need more memory than this machine has are refused before memory is allocated") {
    const json wide{{"type", "dense"}, {"units", 1 << 20}, {"name", "wide"}};
    auto wider = wide;
    wider["name"] = "wider";
    auto spec = small_spec();
    spec["model"]["layers"] =
        json::array({{{"type", "flatten"}}, wide, wider, {{"type", "dense"}, {"units", 10}}});
    const TemporaryFolder folder;
    const auto file = write_spec(folder, spec);
    const auto planned = run_convoy({"plan", file});
    CHECK(planned.code == 65);
    CHECK_THAT(planned.out, Contains("Memory that a node needs at least (bytes)") && Contains("wider"));
    const auto ran = run_convoy({"run", file, "--out", (folder / "out").string()});
    CHECK(ran.code == 65);
    CHECK_THAT(planned.err,
               Contains("does not fit into memory: rank 0 needs at least") && Contains("wider.weight"));
    CHECK_THAT(ran.err, Contains("does not fit into memory: ranks 0 to 1 together need at least") &&
                            Contains("wider.weight") && Contains("4.4 TB"));
    CHECK(folder.entries() == 1);
}

TEST_CASE("evaluate and bench refuse what does not fit before memory is allocated") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "run");
    auto spec = small_spec();
    add_wide_layer(spec, 1 << 20);
    add_wide_layer(spec, 1 << 20);
    const auto file = write_spec(folder, spec);
    auto kept = json_of(run / "spec.json");
    kept["model"] = spec["model"];
    write_whole(run / "spec.json", kept.dump());
    for (const auto& words : {std::vector<std::string>{"evaluate", run.string(), "--threads", "1"},
                              {"bench", "operators", file, "--steps", "1"}}) {
        const auto outcome = run_convoy(words);
        CAPTURE(words.front(), outcome.err);
        CHECK(outcome.code == 65);
        CHECK_THAT(outcome.err,
                   Contains("does not fit into memory") && Contains("dense_2.weight") && Contains("4.4 TB"));
        CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        CHECK(outcome.out.empty());
    }
}

// Sanitizers reserve address space.
TEST_CASE("nodes that may not have enough address space end with a line, and not as a bug",
          left_out(is_sanitized)) {
    const TemporaryFolder folder;
    auto spec = small_spec();
    add_wide_layer(spec, 30'000);
    const auto file = write_spec(folder, spec);
    const auto outcome =
        run_convoy({"run", file, "--out", (folder / "out").string()}, {.most_address_bytes = 400ULL << 20U});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 65);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
}

TEST_CASE("an emulated host's memory is compared with the need of its nodes") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    add_wide_layer(spec, 100'000);
    spec["cluster"] = {{"hosts", 2}, {"memory_mb", 64}};
    const auto outcome = run_convoy({"plan", write_spec(folder, spec)});
    CHECK(outcome.code == 65);
    CHECK_THAT(outcome.err, Contains("$.cluster.memory_mb of host 0 leaves 64.0 MB"));
}

TEST_CASE("a plan of more nodes than this machine could hold is printed with a warning", "[large]") {
    const auto spec = std::filesystem::path(EXPERIMENTS) / "cifar10_resnet56v2.json";
    const auto outcome =
        run_convoy({"plan", spec.string(), "--set", "nodes=1024", "--set", "batch_size=32768"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("all nodes of host 0"));
    CHECK_THAT(outcome.err, Contains("warning: on this machine alone the run does not fit into memory"));
}

TEST_CASE("threads have one bound everywhere") {
    for (const auto& words : {std::vector<std::string>{"evaluate", "run", "--threads", "100000"},
                              {"evaluate", "run", "--threads", "1025"},
                              {"bench", "operators", "spec.json", "--threads", "1025"},
                              {"evaluate", "run", "--threads", "0"}}) {
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == 64);
        CHECK(outcome.err == "convoy: --threads: found " + words.back() + ", expected 1 to 1024\n");
    }
}

TEST_CASE("a plan of many layers and buckets costs as much as it is long", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["model"] = deep_chain(999);
    spec["nodes"] = nodes(32);
    spec["batch_size"] = 32;
    spec["strategy"] = {{"name", "ring_allreduce"}, {"bucketing", "per_tensor"}};
    const auto overlap = GENERATE(false, true);
    spec["strategy"]["overlap_forward"] = overlap;
    // Passes whose time grows with the square of the layers take longer than the test may.
    const auto outcome = run_convoy({"plan", write_spec(folder, spec)});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("bucket bucket_1995: "));
}
