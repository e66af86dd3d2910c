#include "spec_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/path_text.hpp"

namespace convoy {
namespace {

constexpr std::int64_t usual_nodes = 2;
constexpr std::int64_t usual_batch = 64;

/// A text as JSON has it, with its quotes. Paths may have any bytes.
std::string quoted(const std::string& text) {
    return json_text(text_of_path(text));
}

std::string own_dataset(const OwnData& data) {
    const auto images = data.shape[0] == 1 && data.shape[1] == 1
                            ? fmt::format("rows of {} numbers", data.shape[2])
                            : fmt::format("images of {} (C,H,W)", data.shape.text());
    auto text = fmt::format(
        "    // Your own data: {} {} to train on, {} to test on, {} classes. Paths are relative to\n"
        "    // this file. \"classes\" is one more than the largest label unless you give it.\n"
        "    \"dataset\": {{\n        \"name\": \"npy\",\n        \"images\": {},\n        \"labels\": {},\n",
        data.train_examples, images, data.test_examples, data.classes, quoted(data.images),
        quoted(data.labels));
    if (data.test_images) {
        text += fmt::format("        \"test_images\": {},\n        \"test_labels\": {},\n",
                            quoted(*data.test_images), quoted(*data.test_labels));
    } else {
        text += fmt::format("        \"test_fraction\": {},\n", data.test_fraction);
    }
    if (data.layout == ImageLayout::channels_last) text += "        \"layout\": \"nhwc\",\n";
    return text + fmt::format("        \"classes\": {}\n    }},\n", data.classes);
}

std::string drawn_dataset() {
    return "    // What is learned: mnist, fashion_mnist, cifar10, synthetic_digits (drawn by convoy), or "
           "npy (your\n"
           "    // own files: convoy init --images X.npy --labels Y.npy).\n"
           "    \"dataset\": {\"name\": \"synthetic_digits\", \"train_examples\": 2000, \"test_examples\": "
           "500},\n";
}

/// A small network: convolutions where images are large enough for them.
std::string own_model(const OwnData& data) {
    constexpr std::int64_t least_extent = 8;
    const auto& shape = data.shape;
    const bool is_image = std::min(shape[1], shape[2]) >= least_extent;
    std::string layers;
    if (is_image) {
        layers +=
            "            {\"type\": \"conv2d\", \"filters\": 16, \"kernel\": 3, \"activation\": \"relu\"},\n"
            "            {\"type\": \"max_pool\", \"size\": 2},\n";
    }
    layers += "            {\"type\": \"flatten\"},\n";
    if (!is_image) layers += "            {\"type\": \"dense\", \"units\": 64, \"activation\": \"relu\"},\n";
    return fmt::format(
        "    // The network, layer by layer, or the name of one: mnist_cnn, lenet5, two_conv, resnet_v1, "
        "resnet_v2,\n"
        "    // alexnet_cifar, vgg11, vgg16, mobilenet_v1.\n"
        "    \"model\": {{\n        \"input\": [{}, {}, {}],\n        \"layers\": [\n{}"
        "            {{\"type\": \"dense\", \"units\": {}, \"activation\": \"softmax\"}}\n        ]\n    "
        "}},\n",
        shape[0], shape[1], shape[2], layers, data.classes);
}

std::string named_model() {
    return "    // The network: mnist_cnn, lenet5, two_conv, resnet_v1, resnet_v2, alexnet_cifar, vgg11,\n"
           "    // vgg16, mobilenet_v1, or an object with its layers.\n"
           "    \"model\": \"mnist_cnn\",\n";
}

/// The batch is no larger than the data, and a node has at least one example of it.
std::string work(const std::optional<OwnData>& data) {
    const auto batch = data ? std::min(usual_batch, data->train_examples) : usual_batch;
    return fmt::format(
        "    // How many nodes: processes on this machine, unless others join (convoy run --listen).\n"
        "    \"nodes\": {},\n"
        "    // Examples of a step, the sum over all nodes.\n"
        "    \"batch_size\": {},\n"
        "    // How often each training example is seen.\n"
        "    \"epochs\": 2,\n"
        "    // Of every random number: the same seed gives the same weights.\n"
        "    \"seed\": 1,\n"
        "    // How gradients change weights: sgd, adagrad, adadelta or adam.\n"
        "    \"optimizer\": {{\"name\": \"adam\", \"learning_rate\": 0.001}},\n"
        "    // How nodes share the work: ring_allreduce, parameter_server, model_split, hybrid, "
        "filter_parallel, "
        "...\n"
        "    \"strategy\": {{\"name\": \"ring_allreduce\", \"wire_type\": \"float32\"}}\n",
        std::min(usual_nodes, batch), batch);
}

constexpr const char* others = R"(
    // All that follows is not needed. Take the // before a line away to use it, keep its comma in front.

    // How the learning rate goes over the run: constant, step or cosine.
    // , "schedule": {"name": "cosine", "warm_up_epochs": 1}
    // Limits gradients before the optimizer sees them.
    // , "gradient_clipping": {"by": "global_norm", "limit": 1.0}
    // After how many epochs without a better validation loss training ends (dataset.validation_fraction).
    // , "early_stopping": {"patience": null}
    // An accuracy whose time is reported, and may end the run.
    // , "target": {"accuracy": 0.99, "split": "test"}
    // Ends training after so many steps.
    // , "max_steps": 100
    // Examples that a node works off at a time, for weights that do not depend on the number of nodes.
    // , "micro_batch_size": 8
    // Which examples each node sees: global_batch or contiguous.
    // , "sharding": {"scheme": "global_batch"}
    // How examples reach the nodes.
    // , "input_pipeline": {"cache": true, "shuffle": true, "prefetch": 2}
    // What computes: onednn, or the plain xtensor.
    // , "kernels": {"name": "onednn", "compute_type": "float32"}
    // What is measured beside the usual.
    // , "measure": {"trace_steps": 20}
    // Checkpoints beside the run's folder, for convoy run --resume.
    // , "checkpoints": {"every_steps": 100, "keep": 2}
    // When a node is lost: abort, restart (new processes, from the newest checkpoint), or shrink.
    // , "failures": {"policy": "abort", "restarts": 3}
    // Harm that convoy does to nodes at steps of the run; the kinds are kill, term, hang, slow,
    // drop_link, partition, deadlock.
    // , "faults": [{"node": 0, "step": 50, "kind": "kill"}]
    // Seconds after which a silent node is lost.
    // , "deadline_s": 30
    // Emulated hosts on this machine, with limits; needs root.
    // , "cluster": {"hosts": 2, "link_mbit": 1000, "cpu": 1.0}
    // Measured speeds of nodes and links: the file of convoy calibrate.
    // , "calibration": null
    // Weights to start from, a safetensors file.
    // , "initial_weights": null
}
)";

}  // namespace

std::string spec_template(const std::string& name, const std::optional<OwnData>& data) {
    auto text = fmt::format(
        "// An experiment for convoy. Check it with `convoy plan FILE`, train it with `convoy run FILE`.\n"
        "// experiments/schema.json has all fields; lib/spec/SPEC.md has what a schema cannot say.\n"
        "// convoy names a field that is wrong.\n"
        "{{\n    // Begins the name of the run's folder.\n    \"name\": {},\n",
        quoted(name));
    text += data ? own_dataset(*data) + own_model(*data) : drawn_dataset() + named_model();
    return text + work(data) + others;
}

}  // namespace convoy
