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
using nlohmann::json;

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
         "\"independent\", \"parameter_server\", \"model_split\", \"hybrid\", \"filter_parallel\""},
        {with("failures", "wait"),
         "$.failures.policy: found \"wait\", expected one of \"abort\", \"restart\", \"shrink\""},
        {with("failures", {{"grow", true}}),
         "$.failures.grow: found true, expected false: nodes join a run only if it goes on without those it "
         "loses, by the policy \"shrink\""},
        {with("failures", "shrink"),
         "$.strategy.commit: found \"by_bucket\", expected \"by_step\" with the policy \"shrink\": a node "
         "that "
         "is lost must not leave half of a step"},
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
        {with("model", {{"input", {8}}, {"layers", every_layer}}),
         "$.model.input: found a list of 1, expected a list of 3 integers (channels, height, width) or of "
         "2 (channels, length)"},
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
         "$.model.layers[0].activation: found \"none\", expected one of \"relu\", \"leaky_relu\", "
         "\"tanh\", \"sigmoid\", \"softmax\""},
        {layer(json::parse(R"([{"type": "dense", "units": 1, "activation": {"name": "relu"}}])")),
         "$.model.layers[0].activation.name: found \"relu\", expected one of \"leaky_relu\""},
        {layer(json::parse(
             R"([{"type": "dense", "units": 1, "activation": {"name": "leaky_relu", "slope": 2}}])")),
         "$.model.layers[0].activation.slope: found 2, expected a number in [0, 1]"},
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
         "$.gradient_clipping.by: found \"norms\", expected one of \"global_norm\", \"norm\", \"value\" "
         "(did you mean \"norm\"?)"},
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
         "$.dataset.layout: found \"chw\", expected one of \"nchw\", \"nhwc\", \"ncl\", \"nlc\" (did you "
         "mean "
         "\"nchw\"?)"},
        {with("dataset", {{"name", "mnist"}, {"images", "x.npy"}}),
         "$.dataset.images: unknown key, expected one of name, train_examples, test_examples, "
         "validation_fraction, subtract_mean, source"},
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
         "classes, label_scale, chunk_cache_bytes"},
        {with("dataset", {{"name", "spectra"}, {"classes", 0}}),
         "$.dataset.classes: found 0, expected an integer in [1, 65536]"},
        {with("dataset", {{"name", "spectra"}, {"signal_to_noise", 0}}),
         "$.dataset.signal_to_noise: found 0, expected a number in [0.001, 1000000]"},
        {with("dataset", {{"name", "spectra"}, {"template_dir", ""}}),
         "$.dataset.template_dir: found \"\", expected the path of a file"},
        {with("dataset", {{"name", "spectra"}, {"seed", -1}}),
         "$.dataset.seed: found -1, expected an integer in [0, 9007199254740991]"},
        {with("dataset", {{"name", "spectra"}, {"train", 5}}),
         "$.dataset.train: unknown key, expected one of name, train_examples, test_examples, "
         "validation_fraction, subtract_mean, classes, signal_to_noise, template_dir, seed"},
        {with("dataset", {{"name", "mnist"}, {"signal_to_noise", 3}}),
         "$.dataset.signal_to_noise: unknown key, expected one of name, train_examples, test_examples, "
         "validation_fraction, subtract_mean, source"},
        {with("dataset", {{"name", "npy"}, {"images", "x"}, {"labels", "y"}, {"label_scale", "z"}}),
         "$.dataset.label_scale: found \"z\", expected an object"},
        {with("dataset",
              {{"name", "npy"}, {"images", "x"}, {"labels", "y"}, {"label_scale", {{"quantity", "z"}}}}),
         "$.dataset.label_scale.first: missing, expected a number in [-1e+30, 1e+30]"},
        {with("model", {{"input", {{"a", {1, 2, 3, 4}}}}, {"layers", {{{"type", "flatten"}}}}}),
         "$.model.input.a: found a list of 4, expected a list of 3 integers (channels, height, width) or of "
         "2 (channels, length)"},
        {with("model", {{"input", 5}, {"layers", {{{"type", "flatten"}}}}}),
         "$.model.input: found 5, expected a list of 3 integers (channels, height, width) or of 2 (channels, "
         "length), or an object with one such list for each of 1 to 64 inputs"},
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

TEST_CASE("a file that is not one JSON object is refused with its name") {
    const TemporaryFolder folder;
    const auto file = folder / "spec.json";
    for (const std::string text :
         {"", "{", "[1, 2", "{\"epochs\": 1, \"epochs\": 2}", "{\"seed\": 1e999}", "\xff"}) {
        write_whole(file, std::string_view(text));
        CHECK_THAT(error_line<DataError>([&] { load_spec(file); }), Catch::StartsWith(file.string() + ": "));
    }
}
