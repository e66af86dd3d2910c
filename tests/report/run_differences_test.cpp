#include "report/run_differences.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "base/temporary_folder.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A node as environment.json has it.
json node(int rank, const std::string& host, int threads) {
    return {{"rank", rank}, {"host", host}, {"threads", threads}, {"pid", 100 + rank}};
}

DescribedRuns run_of(const TemporaryFolder& folder, const json& spec, const json& environment) {
    folder.write("spec.json", spec.dump());
    folder.write("environment.json", environment.dump());
    return described_run(folder.path());
}

}  // namespace

TEST_CASE("specs, environments and nodes of two runs are told as far as they differ") {
    const TemporaryFolder folder;
    const json spec{{"batch_size", 32}, {"nodes", 2}};
    const json environment{
        {"date_utc", "2026"}, {"compiler", "g++"}, {"nodes", {node(0, "a", 1), node(1, "a", 1)}}};
    const auto run = run_of(folder, spec, environment);
    auto other_spec = spec;
    other_spec["batch_size"] = 64;
    auto other_environment = environment;
    other_environment["date_utc"] = "2027";
    other_environment["compiler"] = "clang++";
    other_environment["nodes"] = {node(0, "b", 1), node(1, "a", 7)};
    other_environment["nodes"][1]["pid"] = 1;
    const auto other = run_of(folder, other_spec, other_environment);
    CHECK(differences_text(run, run) == "A and B have the same spec, machine, build and data\n");
    CHECK(differences_text(run, other) ==
          "A and B differ:\n"
          "  spec: $.batch_size: 32 in A, 64 in B\n"
          "  machine, build or data: $.compiler: \"g++\" in A, \"clang++\" in B\n"
          "  machine: $.nodes.0.host: \"a\" in A, \"b\" in B\n"
          "  machine: $.nodes.1.threads: 1 in A, 7 in B\n");
}

TEST_CASE("the nodes that both runs have are compared, in the order of their ranks") {
    const TemporaryFolder folder;
    json few = json::array();
    json many = json::array();
    for (int rank = 0; rank < 12; ++rank) few.push_back(node(rank, "a", 1));
    for (int rank = 0; rank < 13; ++rank) many.push_back(node(rank, "a", 2));
    const auto text = differences_text(run_of(folder, {{"nodes", 12}}, {{"nodes", few}}),
                                       run_of(folder, {{"nodes", 13}}, {{"nodes", many}}));
    CHECK_THAT(
        text,
        Contains("machine: 12 nodes in A, 13 nodes in B\n  machine: $.nodes.0.threads: 1 in A, 2 in B\n"));
    CHECK_THAT(text, Contains("$.nodes.9.threads: 1 in A, 2 in B\n  machine: and 2 more nodes\n") &&
                         !Contains("$.nodes.10"));
}

TEST_CASE("of a run that lost nodes only their number is told, since the others have new ranks") {
    const TemporaryFolder folder;
    const json spec{{"nodes", {json::object(), json::object(), json::object()}}};
    const auto whole = run_of(folder, spec, {{"nodes", {node(0, "a", 1), node(1, "b", 1), node(2, "c", 1)}}});
    const auto lost = run_of(folder, spec, {{"nodes", {node(0, "b", 1), node(1, "c", 1)}}});
    CHECK(differences_text(whole, lost) == "A and B differ:\n  machine: 3 nodes in A, 2 nodes in B\n");
}

TEST_CASE("a number of nodes is compared with a list of nodes") {
    const TemporaryFolder folder;
    const json usual{{"host", nullptr}, {"kernels", nullptr}, {"threads", nullptr}};
    auto bound = usual;
    bound["threads"] = 1;
    CHECK(differences_text(run_of(folder, {{"nodes", 2}}, json::object()),
                           run_of(folder, {{"nodes", {usual, usual}}}, json::object())) ==
          "A and B have the same spec, machine, build and data\n");
    CHECK_THAT(differences_text(run_of(folder, {{"nodes", 2}}, json::object()),
                                run_of(folder, {{"nodes", {usual, bound}}}, json::object())),
               Contains("  spec: $.nodes.1.threads: null in A, 1 in B\n"));
}

TEST_CASE("servers are nodes of a run, and no node is lost where they differ") {
    const TemporaryFolder folder;
    const json nodes{json::object(), json::object()};
    const json ring{{"nodes", nodes}, {"strategy", {{"name", "ring_allreduce"}, {"servers", 1}}}};
    const json served{{"nodes", nodes}, {"strategy", {{"name", "parameter_server"}, {"servers", 1}}}};
    const json two{node(0, "a", 1), node(1, "a", 1)};
    const json three{node(0, "a", 2), node(1, "a", 1), node(2, "a", 1)};
    const auto text =
        differences_text(run_of(folder, ring, {{"nodes", two}}), run_of(folder, served, {{"nodes", three}}));
    CHECK_THAT(text,
               Contains("machine: 2 nodes in A, 3 nodes in B\n  machine: $.nodes.0.threads: 1 in A, 2 in B"));
    // One of the workers is lost.
    CHECK_THAT(differences_text(run_of(folder, served, {{"nodes", two}}),
                                run_of(folder, served, {{"nodes", three}})),
               Contains("2 nodes in A, 3 nodes in B") && !Contains("threads"));
}

TEST_CASE("a run without an environment, or without ranks in it, is compared as far as it tells") {
    const TemporaryFolder folder;
    folder.write("spec.json", R"({"seed": 1})");
    const auto bare = described_run(folder.path());
    CHECK(bare.environment.empty());
    CHECK(bare.nodes.empty());
    const auto unranked = run_of(folder, {{"seed", 1}}, {{"nodes", {{{"host", "a"}}}}});
    CHECK(unranked.nodes.empty());
    CHECK_THAT(differences_text(bare, unranked), Contains("the same spec"));
}
