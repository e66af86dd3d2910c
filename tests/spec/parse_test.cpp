#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "spec/minimal.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a spec of a dataset and a model gets the defaults of its struct") {
    ExperimentSpec expected;
    expected.dataset.name = "mnist";
    expected.model.name = "mnist_cnn";
    CHECK(parse_spec(minimal) == expected);
}

TEST_CASE("the spec of the design page means what it says") {
    const auto spec = parse_spec(json::parse(R"({
        "name": "mnist-cnn",
        "dataset": {"name": "mnist", "train_examples": 60000, "test_examples": 10000, "validation_fraction": 0.0},
        "model": "mnist_cnn", "nodes": 4, "batch_size": 384, "epochs": 12, "max_steps": null, "seed": 7,
        "optimizer": {"name": "adadelta", "learning_rate": 0.5, "rho": 0.9, "epsilon": 1e-6},
        "strategy": {"name": "ring_allreduce", "overlap": false, "bucket_bytes": 65536, "wire_type": "float32"},
        "sharding": {"scheme": "contiguous"},
        "input_pipeline": {"cache": false, "shuffle": false, "prefetch": 0},
        "kernels": {"name": "onednn", "fusion": false, "convolution": "direct", "parameter_layout": "plain"}})"));
    CHECK(spec.name == "mnist-cnn");
    CHECK(spec.dataset == DatasetSpec{"mnist", 60000, 10000, 0.0});
    CHECK(spec.world_size() == 4);
    CHECK(spec.batch_size == 384);
    CHECK(spec.epochs == 12);
    CHECK_FALSE(spec.max_steps);
    CHECK(spec.seed == 7);
    CHECK(std::get<Adadelta>(spec.optimizer) == Adadelta{0.5, 0.9, 1e-6});
    CHECK_FALSE(spec.strategy.overlap);
    CHECK(spec.strategy.bucket_bytes == 65536);
    CHECK(spec.sharding.scheme == ShardingScheme::contiguous);
    CHECK(spec.input_pipeline == InputPipelineSpec{.cache = false, .shuffle = false, .prefetch = 0});
    CHECK(spec.kernels ==
          KernelSpec{KernelLibrary::onednn, false, ConvolutionAlgorithm::direct, ParameterLayout::plain});
}

TEST_CASE("short forms mean the same as long ones") {
    CHECK(parse_spec(with("optimizer", "sgd")).optimizer == OptimizerSpec{Sgd{}});
    CHECK(parse_spec(with("optimizer", "adam")) == parse_spec(with("optimizer", {{"name", "adam"}})));
    CHECK(parse_spec(with("optimizer", {{"rho", 0.5}})).optimizer == OptimizerSpec{Adadelta{.rho = 0.5}});
    CHECK(parse_spec(with("strategy", "local")).strategy.name == StrategyName::local);
    CHECK(parse_spec(with("kernels", "xtensor")).kernels.name == KernelLibrary::xtensor);
    CHECK(parse_spec(with("kernels", {{"compute_type", "bfloat16"}})).kernels.compute_type ==
          ComputeType::bfloat16);
    CHECK(parse_spec(with("model", {{"name", "mnist_cnn"}})) == parse_spec(minimal));
    CHECK(parse_spec(with("nodes", json::parse(R"([{}, {"threads": null}])"))) ==
          parse_spec(with("nodes", 2)));
    CHECK(parse_spec(with("batch_size", 1e3)).batch_size == 1000);
}

TEST_CASE("what to_json writes is read as the same spec") {
    auto full = with("model", {{"input", {3, 32, 32}}, {"layers", every_layer}});
    full["nodes"] = json::parse(R"([{"threads": 2}, {}])");
    full["max_steps"] = 0;
    full["seed"] = 9007199254740991;
    full["initial_weights"] = "weights.safetensors";
    for (const auto* optimizer : {"sgd", "adagrad", "adadelta", "adam"}) {
        full["optimizer"] = optimizer;
        const auto spec = parse_spec(full);
        CHECK(parse_spec(to_json(spec)) == spec);
        CHECK(to_json(parse_spec(to_json(spec))) == to_json(spec));
    }
    CHECK(to_json(parse_spec(minimal))["kernels"]["convolution"] == "auto");
    CHECK(to_json(parse_spec(minimal))["max_steps"].is_null());
}

TEST_CASE("the kernels' fields belong to onednn") {
    CHECK_THAT(refusal(with("kernels", {{"name", "xtensor"}, {"convolution", "direct"}})),
               Contains("$.kernels.convolution") && Contains("onednn"));
    CHECK_THAT(refusal(with("kernels", {{"name", "xtensor"}, {"parameter_layout", "plain"}})),
               Contains("$.kernels.parameter_layout"));
    CHECK_THAT(refusal(with("kernels", {{"name", "xtensor"}, {"compute_type", "bfloat16"}})),
               Contains("$.kernels.compute_type: found \"bfloat16\"") && Contains("onednn"));
    CHECK(refusal(with("kernels", {{"name", "xtensor"}, {"fusion", false}})).empty());
}

TEST_CASE("micro-batches may be as many as sums have room for") {
    auto spec = with("micro_batch_size", 8);
    spec["batch_size"] = 8192;
    CHECK(parse_spec(spec).micro_batch_size == 8);
}

TEST_CASE("a spec is loaded from a file, with overrides in order") {
    const TemporaryFolder folder;
    const auto file = folder / "spec.json";
    write_whole(file, std::string_view(minimal.dump()));
    const std::vector<std::string> overrides{"nodes=4", "batch_size=8", "batch_size=16",
                                             "optimizer.name=sgd"};
    const auto spec = load_spec(file, overrides);
    CHECK(spec.world_size() == 4);
    CHECK(spec.batch_size == 16);
    CHECK(spec.optimizer == OptimizerSpec{Sgd{}});
    CHECK_THROWS_AS(load_spec(folder / "none.json"), MissingFileError);
}
