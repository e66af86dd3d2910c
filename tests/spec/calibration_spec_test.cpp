#include "spec/calibration_spec.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"
#include "base/temporary_folder.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "spec/without_effect.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

const json known_calibration = json::parse(R"({"format": 1, "hosts": 2,
    "nodes": [{"host": 0, "threads": 2, "convolution_gflops": 41.25, "filter_gradient_gflops": null,
               "input_gradient_gflops": null, "matmul_gflops": 27.5, "elementwise_gb_s": 9.75,
               "pooling_gb_s": 2.5,
               "layers": [{"layer": "conv2d_1", "convolution_gflops": 20.5, "filter_gradient_gflops": null,
                           "input_gradient_gflops": null, "matmul_gflops": null, "pooling_gb_s": null},
                          {"layer": "max_pool_1", "convolution_gflops": null, "filter_gradient_gflops": null,
                           "input_gradient_gflops": null, "matmul_gflops": null, "pooling_gb_s": 1.5}]},
              {"host": 1, "threads": 1, "convolution_gflops": null, "filter_gradient_gflops": 35.5,
               "input_gradient_gflops": 33.0, "matmul_gflops": null, "elementwise_gb_s": null,
               "pooling_gb_s": null,
               "layers": []}],
    "links": [{"from": 0, "to": 1, "mbit": 948.5, "latency_us": 71.0}],
    "all_reduce": [{"nodes": 2, "up_to_bytes": 65536, "algorithm": "recursive_doubling"},
                   {"nodes": 2, "up_to_bytes": null, "algorithm": "ring"}]})");

CalibrationSpec known_value() {
    return {.hosts = 2,
            .nodes = {{.host = 0,
                       .threads = 2,
                       .speeds = {.convolution_gflops = 41.25,
                                  .matmul_gflops = 27.5,
                                  .elementwise_gb_s = 9.75,
                                  .pooling_gb_s = 2.5,
                                  .layers = {{.layer = "conv2d_1", .convolution_gflops = 20.5},
                                             {.layer = "max_pool_1", .pooling_gb_s = 1.5}}}},
                      {.host = 1,
                       .threads = 1,
                       .speeds = {.filter_gradient_gflops = 35.5, .input_gradient_gflops = 33.0}}},
            .links = {{.from = 0, .to = 1, .mbit = 948.5, .latency_us = 71.0}},
            .all_reduce = {{2, 65536, AllReduceAlgorithm::recursive_doubling},
                           {2, std::nullopt, AllReduceAlgorithm::ring}}};
}

std::string calibration_refusal(const json& content) {
    return error_line<DataError>([&] { parse_calibration(content, "c.json"); });
}

json changed(const char* pointer, const json& value) {
    auto content = known_calibration;
    content[json::json_pointer(pointer)] = value;
    return content;
}

json spec_with(const json& calibration) {
    return {{"dataset", {{"name", "mnist"}}},
            {"model", "mnist_cnn"},
            {"nodes", 2},
            {"cluster", json::object()},
            {"calibration", calibration}};
}

}  // namespace

TEST_CASE("a calibration is read and written as its page says") {
    CHECK(parse_calibration(known_calibration, "c.json") == known_value());
    CHECK(to_json(known_value()) == known_calibration);
    CHECK(parse_calibration({{"format", 1}, {"hosts", 1}}, "c.json") == CalibrationSpec{});
}

TEST_CASE("a bad calibration is refused in one line that names the place") {
    CHECK(calibration_refusal(changed("/format", 2)) ==
          "c.json: $.format: found 2, expected an integer in [1, 1]");
    CHECK(calibration_refusal(changed("/nodes/1/host", 2)) ==
          "c.json: $.nodes[1].host: found 2, expected one of the 2 hosts, counted from 0");
    CHECK(calibration_refusal(changed("/nodes/0/matmul_gflops", 0)) ==
          "c.json: $.nodes[0].matmul_gflops: found 0, expected a number in (0, 1000000]");
    CHECK(calibration_refusal(changed("/nodes/0/layers/1", {{"layer", "conv2d_1"}})) ==
          "c.json: $.nodes[0].layers: expected each layer once, found \"conv2d_1\" twice");
    CHECK(calibration_refusal(changed("/nodes/0/layers/0/layer", "a layer"))
              .starts_with("c.json: $.nodes[0].layers[0].layer: found \"a layer\""));
    CHECK(calibration_refusal(changed("/links/0/from", 2)) ==
          "c.json: $.links[0].from: found 2, expected at most 1, as "
          "links go both ways");
    CHECK(calibration_refusal(changed("/links/0/to", 2)) ==
          "c.json: $.links[0].to: found 2, expected one of the 2 hosts, counted from 0");
    CHECK(calibration_refusal(changed("/links/1", known_calibration["links"][0])) ==
          "c.json: $.links: expected one link from 0 to 1");
    CHECK(calibration_refusal(changed("/all_reduce/2", known_calibration["all_reduce"][0])) ==
          "c.json: $.all_reduce[2]: expected rows that ascend in nodes and in up_to_bytes, null last");
    CHECK(
        calibration_refusal(
            changed("/all_reduce/2", {{"nodes", 33}, {"up_to_bytes", 1}, {"algorithm", "pairwise"}})) ==
        "c.json: $.all_reduce[2].algorithm: found \"pairwise\", expected another algorithm for more than 32 "
        "nodes");
    CHECK(calibration_refusal(changed("/speed", 1)) ==
          "c.json: $.speed: unknown key, expected one of format, hosts, nodes, links, all_reduce");
}

TEST_CASE("a spec takes a calibration as a file beside it, and its content is part of the identity") {
    const TemporaryFolder folder;
    std::ofstream(folder / "measured.json") << known_calibration;
    std::ofstream(folder / "spec.json") << spec_with("measured.json");
    const auto spec = load_spec(folder / "spec.json");
    REQUIRE(spec.measured() != nullptr);
    CHECK(*spec.measured() == known_value());
    CHECK(spec == parse_spec(spec_with(known_calibration)));
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(run_id(spec) == run_id(parse_spec(spec_with(known_calibration))));
    CHECK(run_id(spec) != run_id(parse_spec(spec_with(nullptr))));
    CHECK(run_id(spec) != run_id(parse_spec(spec_with(changed("/links/0/mbit", 100)))));
    // A speed that older versions did not measure is no part of it where it is absent.
    const auto nodes = identifying_json(spec).at("calibration").at("nodes");
    CHECK(nodes.at(0).at("pooling_gb_s") == 2.5);
    CHECK_FALSE(nodes.at(0).at("layers").at(0).contains("pooling_gb_s"));
    CHECK(nodes.at(0).at("layers").at(1).at("pooling_gb_s") == 1.5);
    CHECK_FALSE(nodes.at(1).contains("pooling_gb_s"));

    std::ofstream(folder / "spec.json") << spec_with("missing.json");
    CHECK_THROWS_AS(load_spec(folder / "spec.json"), MissingFileError);
    CHECK(error_line<DataError>([&] { parse_spec(spec_with(changed("/hosts", 0)), "s.json"); }) ==
          "s.json: $.calibration.hosts: found 0, expected an integer in [1, 250]");
}

TEST_CASE("a calibration of other nodes and hosts is told to have no effect") {
    auto content = spec_with(known_calibration);
    CHECK(fields_without_effect(parse_spec(content)).empty());
    content["nodes"] = 3;
    content["cluster"]["hosts"] = 2;
    CHECK(fields_without_effect(parse_spec(content)).empty());
    content["cluster"]["hosts"] = 3;
    CHECK(
        fields_without_effect(parse_spec(content)) ==
        std::vector<std::string>{"$.calibration has no effect: it was measured with other nodes and hosts"});
}

TEST_CASE("the strategy's own table is the same as rows of a calibration") {
    const AllReduceCalibration table{
        .nodes = 4, .ranges = {{1024, AllReduceAlgorithm::tree}}, .beyond = AllReduceAlgorithm::ring};
    CHECK(all_reduce_choices(table) ==
          std::vector<AllReduceChoice>{{4, 1024, AllReduceAlgorithm::tree},
                                       {4, std::nullopt, AllReduceAlgorithm::ring}});
}
