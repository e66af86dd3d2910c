#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("bench allreduce measures each size over processes, and every sum is right") {
    const auto nodes = GENERATE("1", "3");
    const auto done = run_convoy(
        {"bench", "allreduce", "--nodes", nodes, "--sizes", "4,100000,1M", "--iterations", "3", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto results = nlohmann::json::parse(done.out).at("results");
    REQUIRE(results.size() == 3);
    for (const auto& row : results) {
        CHECK(row.at("wrong") == 0);
        CHECK(row.at("iterations") == 3);
        CHECK(row.at("min_us") <= row.at("time_us"));
        CHECK(row.at("time_us") <= row.at("p99_us"));
    }
    CHECK(results[1].at("size") == 100000);
    CHECK(results[1].at("count") == 25000);
}

TEST_CASE("bench sums pieces on several connections, by any algorithm and in any type that travels") {
    const auto [connections, algorithm, wire] = GENERATE(table<const char*, const char*, const char*>(
        {{"3", "auto", "float32"}, {"1", "tree", "float16"}, {"2", "pairwise", "bfloat16"}}));
    CAPTURE(connections, algorithm, wire);
    const auto done =
        run_convoy({"bench", "allreduce", "--nodes", "3", "--sizes", "4,100004", "--iterations", "2",
                    "--connections", connections, "--algorithm", algorithm, "--wire", wire, "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = nlohmann::json::parse(done.out);
    for (const auto& row : found.at("results")) {
        CHECK(row.at("wrong") == 0);
        CHECK(row.at("type") == "float32");
        CHECK(row.at("wire") == wire);
        const auto bytes_per_us = row.at("size").get<double>() / row.at("time_us").get<double>();
        CHECK(row.at("algbw").get<double>() == Approx(bytes_per_us / 1e3));
        CHECK(row.at("busbw").get<double>() == Approx(bytes_per_us / 1e3 * 4 / 3));
    }
}

TEST_CASE("bench sums with seals, and under TLS on several connections") {
    const auto option = GENERATE("--seal", "--tls");
    const auto done = run_convoy({"bench", "allreduce", "--nodes", "3", "--sizes", "4,1000000",
                                  "--iterations", "2", "--connections", "2", "--json", option});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = nlohmann::json::parse(done.out);
    for (const auto& row : found.at("results")) CHECK(row.at("wrong") == 0);
    const auto both = run_convoy({"bench", "allreduce", "--seal", "--tls"});
    CHECK(both.code == 64);
    CHECK_THAT(both.err, Catch::Contains("--tls and --seal exclude each other"));
    CHECK(run_convoy({"bench", "allreduce", "--calibrate", option}).code == 64);
}

TEST_CASE("bench prints the columns of nccl-tests") {
    const auto done = run_convoy({"bench", "allreduce", "--sizes", "1K..4K", "--iterations", "1"});
    CHECK(done.code == 0);
    CHECK_THAT(done.out, Catch::StartsWith("All-reduce over 2 nodes, auto\n") &&
                             Catch::Contains("algbw (GB/s)") && Catch::Contains("busbw (GB/s)") &&
                             Catch::Contains("wrong"));
}

TEST_CASE("a calibration of these machines is what a spec takes") {
    const auto done = run_convoy(
        {"bench", "allreduce", "--nodes", "3", "--sizes", "64,4096,64K", "--iterations", "2", "--calibrate"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    CHECK(nlohmann::json::parse(done.out).at("nodes") == 3);
    const TemporaryFolder folder;
    const auto planned = run_convoy({"plan", write_spec(folder, small_spec()), "--set", "nodes=3", "--set",
                                     "strategy.calibration=" + done.out});
    CHECK(planned.code == 0);
    CHECK_THAT(planned.err, !Catch::Contains("calibration"));
    const auto both = run_convoy({"bench", "allreduce", "--calibrate", "--algorithm", "ring"});
    CHECK(both.code == 64);
    CHECK_THAT(both.err, Catch::Contains("--calibrate"));
    CHECK(run_convoy({"bench", "allreduce", "--calibrate", "--sizes", "4K,4K"}).code == 64);
    CHECK(run_convoy({"bench", "allreduce", "--calibrate", "--wire", "float16"}).code == 64);
}

TEST_CASE("calibrate measures nodes, links and sums, and a spec takes the result", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["nodes"] = nodes(2);
    spec["calibration"] = "calibration.json";
    spec["strategy"]["balance"] = "speed";  // of speeds that are yet to be measured
    const auto file = write_spec(folder, spec);
    CHECK(run_convoy({"plan", file}).code == 66);
    const auto out = (folder / "calibration.json").string();
    const auto done = run_convoy(
        {"calibrate", file, "--steps", "3", "--sizes", "4K,64K", "--iterations", "2", "--out", out});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = json_of(out);
    REQUIRE(found.at("nodes").size() == 2);
    for (const auto& node : found.at("nodes")) {
        CHECK(node.at("threads") == 1);
        for (const auto* speed :
             {"convolution_gflops", "filter_gradient_gflops", "matmul_gflops", "elementwise_gb_s"})
            CHECK(node.at(speed).get<double>() > 0.0);
        CHECK(node.at("pooling_gb_s").get<double>() > 0.0);
    }
    REQUIRE(found.at("links").size() == 1);
    CHECK(found.at("links")[0].at("from") == 0);
    CHECK(found.at("links")[0].at("to") == 0);
    CHECK(found.at("links")[0].at("mbit").get<double>() > 0.0);
    REQUIRE_FALSE(found.at("all_reduce").empty());
    CHECK(found.at("all_reduce").back().at("up_to_bytes").is_null());
    CHECK(found.at("all_reduce").back().at("nodes") == 2);

    const auto planned = run_convoy({"plan", file});
    CHECK(planned.code == 0);
    CHECK_THAT(planned.err, !Catch::Contains("$.calibration"));
    CHECK_THAT(planned.out, Catch::Contains("shares of a batch by speed"));
    CHECK_THAT(run_convoy({"plan", file, "--set", "nodes=3", "--set", "strategy.balance=equal"}).err,
               !Catch::Contains("$.calibration"));  // one machine is one host still
    CHECK(run_convoy({"calibrate", file, "--sizes", "4K,4K"}).code == 64);
    CHECK(run_convoy({"calibrate", file, "--steps", "0"}).code == 64);
}

TEST_CASE("bench operators tells how fast each product is beside the peak") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto done =
        run_convoy({"bench", "operators", spec, "--steps", "3", "--set", "batch_size=8", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto found = nlohmann::json::parse(done.out);
    CHECK(found.at("batch_size") == 8);
    CHECK(found.at("peak_gflops").get<double>() > 0.0);
    CHECK(found.at("results").size() > 5);
    CHECK(folder.entries() == 1);
    CHECK_THAT(run_convoy({"bench", "operators", spec, "--steps", "3"}).out,
               Catch::Contains("gflop per s") && Catch::Contains("peak: "));
    CHECK(run_convoy({"bench", "operators", spec, "--threads", "0"}).code == 64);
    CHECK(run_convoy({"bench", "operators"}).code == 64);
}

TEST_CASE("bench refuses what it cannot do in one line") {
    CHECK(run_convoy({"bench", "reduce"}).code == 64);
    CHECK(run_convoy({"bench", "allreduce", "--sizes", "5"}).code == 64);
    const auto nodes = run_convoy({"bench", "allreduce", "--nodes", "0"});
    CHECK(nodes.code == 64);
    CHECK(nodes.err == "convoy: convoy bench: --nodes is 0, expected 1 to 256\n");
    const auto top_k = run_convoy({"bench", "allreduce", "--wire", "top_k"});
    CHECK(top_k.code == 64);
    CHECK(top_k.err.starts_with(
        "convoy: convoy bench: --wire is top_k, expected float32, float16 or bfloat16"));
}
