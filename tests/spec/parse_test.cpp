#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "spec/minimal.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const json every_layer = json::parse(R"([
    {"type": "conv2d", "filters": 8, "kernel": 3, "stride": 2, "padding": "same", "activation": "relu"},
    {"type": "max_pool", "size": 3},
    {"type": "average_pool", "size": 2, "stride": 1, "padding": "same"},
    {"type": "conv2d", "name": "last", "filters": 4, "kernel": 1},
    {"type": "activation", "activation": "tanh"},
    {"type": "dropout", "rate": 0.25},
    {"type": "flatten"},
    {"type": "dense", "units": 10},
    {"type": "softmax"}])");

}  // namespace

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

TEST_CASE("inline layers are read with their defaults and names") {
    const auto spec = parse_spec(with("model", {{"input", {1, 28, 28}}, {"layers", every_layer}}));
    const std::vector<LayerSpec> expected{
        {"conv2d_1", Conv2dLayer{8, 3, 2, Padding::same, Activation::relu}},
        {"max_pool_1", PoolLayer{PoolKind::max, 3, 3, Padding::valid}},
        {"average_pool_1", PoolLayer{PoolKind::average, 2, 1, Padding::same}},
        {"last", Conv2dLayer{4, 1, 1, Padding::valid, Activation::none}},
        {"activation_1", ActivationLayer{Activation::tanh}},
        {"dropout_1", DropoutLayer{0.25}},
        {"flatten_1", FlattenLayer{}},
        {"dense_1", DenseLayer{10, Activation::none}},
        {"softmax_1", ActivationLayer{Activation::softmax}},
    };
    CHECK(spec.model.name == "inline");
    CHECK(spec.model.input == Shape{1, 28, 28});
    REQUIRE(spec.model.layers.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("layer " << i);
        CHECK(spec.model.layers[i] == expected[i]);
    }
}

TEST_CASE("a default layer name counts the layers of its type") {
    const auto layers =
        json::parse(R"([{"type": "dense", "name": "first", "units": 2}, {"type": "dense", "units": 2}])");
    CHECK(parse_spec(with("model", {{"input", {1, 1, 1}}, {"layers", layers}})).model.layers[1].name ==
          "dense_2");
}

TEST_CASE("a calibration's ranges ascend, and it does not change the identity of runs without one") {
    const auto strategy = [](const std::string& ranges) {
        return with("strategy", json::parse(R"({"calibration": {"nodes": 4, "beyond": "ring", "ranges": [)" +
                                            ranges + "]}}"));
    };
    const std::string small = R"({"up_to_bytes": 16384, "algorithm": "tree"})";
    const std::string large = R"({"up_to_bytes": 65536, "algorithm": "pairwise"})";
    const auto spec = parse_spec(strategy(small + "," + large));
    CHECK(spec.strategy.calibration->ranges ==
          std::vector<AlgorithmRange>{{16384, AllReduceAlgorithm::tree},
                                      {65536, AllReduceAlgorithm::pairwise}});
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(identifying_json(spec)["strategy"].contains("calibration"));
    CHECK_FALSE(identifying_json(parse_spec(minimal))["strategy"].contains("calibration"));
    CHECK_THAT(refusal(strategy(large + "," + small)),
               Contains("$.strategy.calibration.ranges") && Contains("ascending"));
    CHECK_THAT(refusal(strategy(small + "," + small)), Contains("ascending"));
}

TEST_CASE("pairwise exchange is for as many nodes as can all be connected") {
    auto spec = with("strategy", {{"algorithm", "pairwise"}});
    spec["batch_size"] = 64;
    spec["nodes"] = 33;
    CHECK_THAT(refusal(spec), Contains("$.strategy.algorithm: found \"pairwise\""));
    spec["strategy"] = {{"calibration", {{"nodes", 33}, {"ranges", json::array()}, {"beyond", "pairwise"}}}};
    CHECK_THAT(refusal(spec), Contains("$.strategy.calibration: found \"pairwise\""));
    spec["nodes"] = 32;
    CHECK(refusal(spec).empty());
    spec["strategy"] = {{"algorithm", "pairwise"}};
    CHECK(refusal(spec).empty());
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

TEST_CASE("an error is one line with the place, what was found and what was expected") {
    struct Case {
        json spec;
        std::string line;
    };
    const std::string file = "spec.json: ";
    const auto layer = [](const json& layers) {
        return with("model", {{"input", {1, 8, 8}}, {"layers", layers}});
    };
    const std::vector<Case> cases{
        {with("optimizer", {{"rho", 2}}), "$.optimizer.rho: found 2, expected a number in [0, 1)"},
        {with("optimizer", {{"epsilon", 0}}), "$.optimizer.epsilon: found 0, expected a number in (0, 1]"},
        {with("epochs", 0), "$.epochs: found 0, expected an integer in [1, 1000000]"},
        {with("epochs", 1.5), "$.epochs: found 1.5, expected an integer in [1, 1000000]"},
        {with("epochs", "3"), "$.epochs: found \"3\", expected an integer in [1, 1000000]"},
        {with("epochs", nullptr), "$.epochs: found null, expected an integer in [1, 1000000]"},
        {with("max_steps", -1), "$.max_steps: found -1, expected an integer in [0, 1000000000]"},
        {with("micro_batch_size", 0), "$.micro_batch_size: found 0, expected an integer in [1, 1048576]"},
        {with("deadline_s", std::nan("")), "$.deadline_s: found null, expected a number in [0.1, 86400]"},
        {with("nodes", json::parse(R"([{}, {"threads": 0}])")),
         "$.nodes[1].threads: found 0, expected an integer in [1, 1024]"},
        {with("nodes", true),
         "$.nodes: found true, expected an integer in [1, 4096] or a list of as many objects"},
        {with("nodes", json::array()),
         "$.nodes: found an empty list, expected an integer in [1, 4096] or a list of as many objects"},
        {with("strategy", "ring"),
         "$.strategy.name: found \"ring\", expected one of \"local\", \"ring_allreduce\", \"local_sgd\", "
         "\"independent\", \"parameter_server\", \"model_split\""},
        {with("kernels", {{"fusion", 1}}), "$.kernels.fusion: found 1, expected true or false"},
        {with("dataset", {{"name", "../mnist"}}),
         "$.dataset.name: found \"../mnist\", expected a name of 1 to 100 letters, digits or '_' '-', the "
         "first a letter or digit"},
        {with("dataset", json::object()),
         "$.dataset.name: missing, expected a name of 1 to 100 letters, digits or '_' '-', the first a "
         "letter or digit"},
        {{{"dataset", {{"name", "mnist"}}}},
         "$.model: missing, expected the name of a model, or an object with \"name\", or with \"input\" and "
         "\"layers\""},
        {with("epoch", 3), "$.epoch: unknown key, did you mean \"epochs\"?"},
        {with("optimizer", {{"name", "sgd"}, {"rho", 0.5}}),
         "$.optimizer.rho: unknown key, expected one of name, learning_rate, momentum"},
        {{{"datasett", 1}, {"model", "mnist_cnn"}}, "$.datasett: unknown key, did you mean \"dataset\"?"},
        {with("model", "inline"),
         "$.model.name: found \"inline\", expected the name of a model, or \"input\" and \"layers\""},
        {with("model", {{"input", {1, 8}}, {"layers", every_layer}}),
         "$.model.input: found a list of 2, expected a list of 3 integers: channels, height, width"},
        {with("model", {{"input", {65536, 65536, 1}}, {"layers", every_layer}}),
         "$.model.input: found 65536x65536x1, expected at most 67108864 elements"},
        {layer(json::parse(R"([{"type": "conv2d", "filters": 8, "kernel": 1025}])")),
         "$.model.layers[0].kernel: found 1025, expected an integer in [1, 1024]"},
        {layer(json::parse(R"([{"type": "conv2d", "filters": 8}])")),
         "$.model.layers[0].kernel: missing, expected an integer in [1, 1024]"},
        {layer(json::parse(R"([{"type": "flatten", "rate": 1}])")),
         "$.model.layers[0].rate: unknown key, expected one of type, name, "
         "inputs"},
        {layer(json::parse(R"([{"type": "activation", "activation": "none"}])")),
         "$.model.layers[0].activation: found \"none\", expected one of \"relu\", \"tanh\", \"sigmoid\", "
         "\"softmax\""},
        {layer(json::parse(R"([{"type": "flatten", "name": "a"}, {"type": "flatten", "name": "a"}])")),
         "$.model.layers[1].name: found \"a\", expected a name that no other layer has"},
        {layer(json::array()), "$.model.layers: found an empty list, expected a list of 1 to 1000 layers"},
        {with("batch_size", 3).patch(json::parse(R"([{"op": "add", "path": "/nodes", "value": 4}])")),
         "$.batch_size: found 3, expected at least 1 example per node, and there are 4 nodes"},
        {with("strategy", "local").patch(json::parse(R"([{"op": "add", "path": "/nodes", "value": 2}])")),
         "$.strategy.name: found \"local\", expected \"ring_allreduce\" for 2 nodes, or 1 node"},
        {with("micro_batch_size", 8)
             .patch(json::parse(R"([{"op": "add", "path": "/strategy", "value": "independent"}])")),
         "$.strategy.name: found \"independent\", expected \"ring_allreduce\" or \"local\" with "
         "$.micro_batch_size"},
        {with("micro_batch_size", 8)
             .patch(
                 json::parse(R"([{"op": "add", "path": "/strategy", "value": {"wire_type": "float16"}}])")),
         "$.strategy.wire_type: found \"float16\", expected \"float32\" with $.micro_batch_size"},
        {with("micro_batch_size", 8)
             .patch(json::parse(R"([{"op": "add", "path": "/batch_size", "value": 8193}])")),
         "$.micro_batch_size: found 8, expected one that cuts a batch into at most 1024, not 1025"},
        {with("gradient_clipping", 1.0), "$.gradient_clipping: found 1.0, expected an object"},
        {with("gradient_clipping", {{"by", "norm"}}),
         "$.gradient_clipping.limit: missing, expected a number in (0, 1000000]"},
        {with("gradient_clipping", {{"limit", 0}}),
         "$.gradient_clipping.limit: found 0, expected a number in (0, 1000000]"},
        {with("gradient_clipping", {{"by", "norms"}, {"limit", 1}}),
         "$.gradient_clipping.by: found \"norms\", expected one of \"global_norm\", \"norm\", \"value\""},
        {with("strategy", {{"name", "local_sgd"}, {"batch_norm_statistics", "synchronised"}}),
         "$.strategy.batch_norm_statistics: found \"synchronised\", expected \"per_node\" with the strategy "
         "\"local_sgd\", whose nodes train apart"},
        {with("strategy", {{"batch_norm_statistics", "synchronised"}})
             .patch(json::parse(R"([{"op": "add", "path": "/micro_batch_size", "value": 8}])")),
         "$.strategy.batch_norm_statistics: found \"synchronised\", expected \"per_node\" with "
         "$.micro_batch_size, which cuts shares into batches of their own"},
        {with("micro_batch_size", 8)
             .patch(json::parse(R"([{"op": "add", "path": "/strategy", "value": {"wire_type": "top_k"}}])")),
         "$.strategy.wire_type: found \"top_k\", expected \"float32\" with $.micro_batch_size"},
        {with("strategy", {{"name", "local_sgd"}, {"wire_type", "top_k"}}),
         "$.strategy.wire_type: found \"top_k\", expected \"float32\" with the strategy \"local_sgd\", whose "
         "nodes sum no gradients"},
        {with("strategy", {{"name", "independent"}, {"wire_type", "top_k"}}),
         "$.strategy.wire_type: found \"top_k\", expected \"float32\" with the strategy \"independent\", "
         "whose nodes sum no gradients"},
        {with("strategy", {{"wire_type", "top_k"}, {"algorithm", "tree"}}),
         "$.strategy.algorithm: found \"tree\", expected \"auto\" or \"ring\" with the wire type \"top_k\", "
         "whose pieces are gathered"},
        {with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0}}}}),
         "$.strategy.top_k.fraction: found 0, expected a number in (0, 1]"},
        {with("strategy", {{"top_k", 0.01}}), "$.strategy.top_k: found 0.01, expected an object"},
        {with("dataset", {{"name", "npy"}, {"labels", "y.npy"}}),
         "$.dataset.images: missing, expected the path of a file or a list of 1 to 1000 paths"},
        {with("dataset", {{"name", "npy"}, {"images", json::array()}, {"labels", "y.npy"}}),
         "$.dataset.images: found an empty list, expected the path of a file or a list of 1 to 1000 paths"},
        {with("dataset", {{"name", "npy"}, {"images", {"x.npy", ""}}, {"labels", "y.npy"}}),
         "$.dataset.images[1]: found \"\", expected the path of a file"},
        {with("dataset", {{"name", "npy"}, {"images", "x"}, {"labels", "y"}, {"test_fraction", 1}}),
         "$.dataset.test_fraction: found 1, expected a number in (0, 1)"},
        {with("dataset", {{"name", "npy"}, {"images", "x"}, {"labels", "y"}, {"layout", "chw"}}),
         "$.dataset.layout: found \"chw\", expected one of \"nchw\", \"nhwc\""},
        {with("dataset", {{"name", "mnist"}, {"images", "x.npy"}}),
         "$.dataset.images: unknown key, expected one of name, train_examples, test_examples, "
         "validation_fraction, subtract_mean"},
        {with("dataset", {{"name", "npy"}, {"inputs", "x.npy"}, {"labels", "y"}}),
         "$.dataset.inputs: found \"x.npy\", expected an object with the files of each of 1 to 64 inputs"},
        {with("dataset", {{"name", "npy"}, {"inputs", json::object()}, {"labels", "y"}}),
         "$.dataset.inputs: found an empty object, expected an object with the files of each of 1 to 64 "
         "inputs"},
        {with("dataset", {{"name", "npy"}, {"inputs", {{"a", {"x.npy", 5}}}}, {"labels", "y"}}),
         "$.dataset.inputs.a[1]: found 5, expected the path of a file"},
        {with("dataset", {{"name", "npy"}, {"inputs", {{"a", {{"layout", "nchw"}}}}}, {"labels", "y"}}),
         "$.dataset.inputs.a.files: missing, expected the path of a file or a list of 1 to 1000 paths"},
        {with("dataset", {{"name", "npy"}, {"inputs", {{"labels", "x"}}}, {"labels", "y"}}),
         "$.dataset.inputs.labels: expected another name for an input"},
        {with("dataset", {{"name", "npy"}, {"inputs", {{"a", "x"}}}, {"images", "x"}, {"labels", "y"}}),
         "$.dataset.images: unknown key, expected one of name, train_examples, test_examples, "
         "validation_fraction, subtract_mean, inputs, labels, test_labels, test_fraction, split_seed, "
         "classes"},
        {with("model", {{"input", {{"a", {1, 2}}}}, {"layers", {{{"type", "flatten"}}}}}),
         "$.model.input.a: found a list of 2, expected a list of 3 integers: channels, height, width"},
        {with("model", {{"input", 5}, {"layers", {{{"type", "flatten"}}}}}),
         "$.model.input: found 5, expected a list of 3 integers: channels, height, width, or an object with "
         "one "
         "such list for each of 1 to 64 inputs"},
        {with("model",
              {{"input", {{"a", {65536, 1024, 1}}, {"b", {1, 1, 1}}}}, {"layers", {{{"type", "flatten"}}}}}),
         "$.model.input: found 67108865 elements in all, expected at most 67108864"},
        {with("cluster", 5), "$.cluster: found 5, expected an object"},
        {with("cluster", {{"link_mbits", 5}}),
         "$.cluster.link_mbits: unknown key, did you mean \"link_mbit\"?"},
        {with("cluster", {{"cpu", 0.01}}), "$.cluster.cpu: found 0.01, expected a number in [0.05, 1024]"},
        {with("cluster", {{"hosts", 2}}),
         "$.cluster.hosts: found 2, expected at most one for each node, and there are 1 nodes"},
        {with("cluster", json::object()).patch(json::parse(R"([{"op": "add", "path": "/nodes", "value": 251},
                                    {"op": "add", "path": "/batch_size", "value": 251}])")),
         "$.cluster.hosts: found null, expected a number up to 250, as there are 251 nodes"},
        {json::array(), "$: found an empty list, expected an object"},
    };
    for (const auto& [spec, line] : cases) CHECK(refusal(spec) == file + line);
}

TEST_CASE("micro-batches may be as many as sums have room for") {
    auto spec = with("micro_batch_size", 8);
    spec["batch_size"] = 8192;
    CHECK(parse_spec(spec).micro_batch_size == 8);
}

TEST_CASE("a layer without a type is told so, whatever else it says") {
    const auto layers = json::parse(R"([{"units": 3}])");
    CHECK_THAT(refusal(with("model", {{"input", {1, 1, 1}}, {"layers", layers}})),
               Catch::StartsWith("spec.json: $.model.layers[0].type: missing, expected one of \"conv2d\""));
}

TEST_CASE("strange keys and values keep the error on one line and in bounds") {
    const auto line = refusal(with(std::string("a\nb\xff", 4) + std::string(10000, 'x'), 1));
    CHECK(line.size() < 500);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(refusal(with("name", std::string(100000, 'y'))).size() < 500);
    CHECK_FALSE(refusal(with("initial_weights", "\xff")).empty());
    CHECK_FALSE(refusal(with("initial_weights", std::string("a\0b", 3))).empty());
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

TEST_CASE("own data files are those beside the spec, or else they keep their relative paths") {
    const TemporaryFolder folder;
    folder.write("specs/x.npy", "");
    const auto file = folder.write("specs/spec.json", R"({"model": "mnist_cnn", "dataset": {"name": "npy",
        "images": ["x.npy", "own/x.npy", "/x.npy"], "labels": "y.npy", "test_images": "../specs/x.npy"}})");
    const auto spec = load_spec(file);
    REQUIRE(spec.dataset.npy);
    const auto beside = (folder / "specs" / "x.npy").string();
    CHECK(spec.dataset.npy->inputs[0].files == std::vector<std::string>{beside, "own/x.npy", "/x.npy"});
    CHECK(spec.dataset.npy->labels == std::vector<std::string>{"y.npy"});
    CHECK(spec.dataset.npy->inputs[0].test_files == std::vector<std::string>{beside});
    CHECK_FALSE(spec.dataset.npy->test_labels);
    CHECK(parse_spec(to_json(spec)) == spec);
}

TEST_CASE("a path and a list of it mean the same, and only own data has files") {
    const json npy{{"name", "npy"}, {"images", "x.npy"}, {"labels", json::array({"y.npy"})}};
    auto list = npy;
    list["images"] = json::array({"x.npy"});
    CHECK(run_id(parse_spec(with("dataset", npy))) == run_id(parse_spec(with("dataset", list))));
    CHECK_FALSE(to_json(parse_spec(minimal)).at("dataset").contains("images"));
}

TEST_CASE("a file that is not one JSON object is refused with its name") {
    const TemporaryFolder folder;
    const auto file = folder / "spec.json";
    for (const std::string text :
         {"", "{", "[1, 2", "{\"epochs\": 1, \"epochs\": 2}", "{\"seed\": 1e999}", "\xff"}) {
        write_whole(file, std::string_view(text));
        CHECK_THAT(error_line<DataError>([&] { load_spec(file); }), Catch::StartsWith(file.string() + ": "));
    }
}

TEST_CASE("consecutive ranks share an emulated host, and hosts are filled evenly") {
    const auto hosts_of_ranks = [](const ClusterSpec& cluster, std::int64_t nodes) {
        std::vector<std::int64_t> hosts;
        for (std::int64_t rank = 0; rank < nodes; ++rank) hosts.push_back(cluster.host_of(rank, nodes));
        return hosts;
    };
    CHECK(hosts_of_ranks({}, 3) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(hosts_of_ranks({.hosts = 2}, 5) == std::vector<std::int64_t>{0, 0, 0, 1, 1});
    CHECK(hosts_of_ranks({.hosts = 3}, 4) == std::vector<std::int64_t>{0, 0, 1, 2});
    CHECK(hosts_of_ranks({.hosts = 1}, 2) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("gradients are clipped by their global norm unless another way is named") {
    CHECK(parse_spec(minimal).gradient_clipping == std::nullopt);
    const auto spec = parse_spec(with("gradient_clipping", {{"limit", 0.5}}));
    CHECK(spec.gradient_clipping == GradientClipping{ClipBy::global_norm, 0.5});
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(parse_spec(with("gradient_clipping", {{"by", "value"}, {"limit", 2}})).gradient_clipping ==
          GradientClipping{ClipBy::value, 2.0});
}

TEST_CASE("a cluster may leave out any limit") {
    auto spec = with("cluster", {{"hosts", 5}, {"link_mbit", 1000}, {"cpu", 0.35}, {"memory_mb", 2000}});
    spec["nodes"] = 5;
    CHECK(parse_spec(spec).cluster ==
          ClusterSpec{.hosts = 5, .link_mbit = 1000.0, .cpu = 0.35, .memory_mb = 2000});
    CHECK(parse_spec(with("cluster", json::object())).cluster == ClusterSpec{});
    CHECK(parse_spec(with("cluster", nullptr)).cluster == std::nullopt);
    CHECK(parse_spec(to_json(parse_spec(spec))) == parse_spec(spec));
}

TEST_CASE("the run's identity follows from what the spec means") {
    const auto base = run_id(parse_spec(minimal));
    CHECK(base.size() == 64);
    CHECK(run_id(parse_spec(to_json(parse_spec(minimal)))) == base);
    CHECK(run_id(parse_spec(with("nodes", json::parse("[{}]")))) == base);
    CHECK(run_id(parse_spec(with("optimizer", "adadelta"))) == base);
    CHECK(run_id(parse_spec(with("deadline_s", 30))) == base);
    CHECK(run_id(parse_spec(with("checkpoints", nullptr))) == base);
    CHECK(run_id(parse_spec(with("checkpoints", {{"every_steps", 5}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", nullptr))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "per_node"}}))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "synchronised"}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", {{"limit", 1}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"top_k", {{"fraction", 0.5}}}}))) == base);
    const auto top_k = run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}})));
    CHECK(top_k != base);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.01}}}}))) ==
          top_k);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.5}}}}))) !=
          top_k);
    CHECK(run_id(parse_spec(with("seed", 2))) != base);
    CHECK(run_id(parse_spec(with("cluster", json::object()))) != base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", nullptr}}))) == base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", {{"cycle_length", 2}}}}))) != base);
    CHECK(run_id(parse_spec(with("nodes", json::parse(R"([{"threads": 1}])")))) != base);
}

TEST_CASE("inputs have names, and files with all that is said of them") {
    const json named{{"name", "npy"},
                     {"inputs",
                      {{"row", {{"files", "m.npy"}, {"test_files", json::array({"t.npy"})}, {"scale", 2}}},
                       {"image", {"x0.npy", "x1.npy"}}}},
                     {"labels", "y.npy"}};
    const auto spec = parse_spec(with("dataset", named));
    REQUIRE(spec.dataset.npy);
    const auto& inputs = spec.dataset.npy->inputs;
    REQUIRE(inputs.size() == 2);
    CHECK(inputs[0] == NpyInput{.name = "image", .files = {"x0.npy", "x1.npy"}});
    CHECK(inputs[1] == NpyInput{.name = "row",
                                .files = {"m.npy"},
                                .test_files = std::vector<std::string>{"t.npy"},
                                .scale = 2.0});
    CHECK(parse_spec(to_json(spec)) == spec);

    auto one = named;
    one["inputs"] = {{"images", {{"files", "x.npy"}, {"layout", "nhwc"}}}};
    const json plain{{"name", "npy"}, {"images", "x.npy"}, {"layout", "nhwc"}, {"labels", "y.npy"}};
    CHECK(run_id(parse_spec(with("dataset", one))) == run_id(parse_spec(with("dataset", plain))));
    CHECK_FALSE(to_json(parse_spec(with("dataset", plain))).at("dataset").contains("inputs"));
    CHECK(run_id(parse_spec(with("dataset", named))) != run_id(parse_spec(with("dataset", plain))));
}

TEST_CASE("a network's inputs have names, or it has one without") {
    const json layers{{{"type", "flatten"}}};
    const auto spec = parse_spec(
        with("model", {{"input", {{"row", {1, 1, 5}}, {"image", {3, 8, 8}}}}, {"layers", layers}}));
    CHECK(spec.model.input == ExampleShape(std::vector<Input>{{"image", {3, 8, 8}}, {"row", {1, 1, 5}}}));
    CHECK(parse_spec(to_json(spec)) == spec);
    const auto one = parse_spec(with("model", {{"input", {{"images", {3, 8, 8}}}}, {"layers", layers}}));
    const auto plain = parse_spec(with("model", {{"input", {3, 8, 8}}, {"layers", layers}}));
    CHECK(run_id(one) == run_id(plain));
    CHECK(to_json(one).at("model").at("input") == json{3, 8, 8});
}
