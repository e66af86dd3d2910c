#include "spec/schema_contexts.hpp"

#include "spec/parse.hpp"
#include "spec/schema_rules.hpp"

namespace convoy::test {

using nlohmann::json;
using Pointer = json::json_pointer;

const json& Context::object_schema() const {
    return definition.empty() ? schema() : schema().at("$defs").at(definition);
}

json Context::with(const std::string& key, const json& value) const {
    auto changed = spec;
    changed[where][key] = value;
    return changed;
}

json Context::without(const std::string& key) const {
    auto changed = spec;
    changed[where].erase(key);
    return changed;
}

namespace {

/// A batch that is large enough for any number of nodes.
json least_spec() {
    return {{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}, {"batch_size", 1 << 20}};
}

Context section(const std::string& definition, const std::string& key, const json& content) {
    auto spec = least_spec();
    spec[key] = content;
    return {definition, Pointer("/" + key), spec};
}

Context layer(const std::string& type, json content) {
    content["type"] = type;
    auto context = section(type, "model", {{"input", {1, 8, 8}}, {"layers", {content}}});
    context.where = Pointer("/model/layers/0");
    return context;
}

}  // namespace

std::vector<Context> contexts() {
    auto node = section("node", "nodes", json::array({json::object(), {{"threads", 2}}}));
    node.where = Pointer("/nodes/0");
    auto cluster = section("cluster", "cluster", json::object());
    cluster.spec["nodes"] = most_hosts;
    auto host = section("host", "cluster", {{"hosts", {json::object(), {{"cpu", 0.5}}}}});
    host.spec["nodes"] = 2;
    host.where = Pointer("/cluster/hosts/0");
    auto augmentation = section("augmentation", "input_pipeline", {{"augmentation", json::object()}});
    augmentation.where = Pointer("/input_pipeline/augmentation");
    auto interleave = section("interleave", "input_pipeline", {{"interleave", {{"cycle_length", 2}}}});
    interleave.where = Pointer("/input_pipeline/interleave");
    auto calibration =
        section("all_reduce_calibration", "strategy",
                {{"calibration", {{"nodes", 2}, {"ranges", json::array()}, {"beyond", "ring"}}}});
    calibration.where = Pointer("/strategy/calibration");
    auto range = calibration;
    range.definition = "algorithm_range";
    range.spec[Pointer("/strategy/calibration/ranges")] = {{{"up_to_bytes", 1}, {"algorithm", "tree"}}};
    range.where = Pointer("/strategy/calibration/ranges/0");
    auto measured = section("calibration", "calibration", {{"format", 1}, {"hosts", most_hosts}});
    auto measured_node = measured;
    measured_node.definition = "node_calibration";
    measured_node.spec["calibration"]["nodes"] = {{{"threads", 1}}};
    measured_node.where = Pointer("/calibration/nodes/0");
    auto measured_layer = measured_node;
    measured_layer.definition = "layer_calibration";
    measured_layer.spec["calibration"]["nodes"][0]["layers"] = {{{"layer", "conv2d_1"}}};
    measured_layer.where = Pointer("/calibration/nodes/0/layers/0");
    auto measured_link = measured;
    measured_link.definition = "link_calibration";
    measured_link.spec["calibration"]["links"] = {
        {{"from", 0}, {"to", most_hosts - 1}, {"mbit", 1}, {"latency_us", 1}}};
    measured_link.where = Pointer("/calibration/links/0");
    auto choice = measured;
    choice.definition = "all_reduce_choice";
    choice.spec["calibration"]["all_reduce"] = {{{"nodes", 2}, {"up_to_bytes", 1}, {"algorithm", "tree"}}};
    choice.where = Pointer("/calibration/all_reduce/0");
    // Places that both formats take: a file of NumPy's named "x:/x", or the array x of an HDF5 file.
    const json several{{"name", "npy"}, {"inputs", {{"image", {{"files", "x:/x"}}}}}, {"labels", "x:/y"}};
    auto npy_input = section("npy_input", "dataset", several);
    npy_input.where = Pointer("/dataset/inputs/image");
    auto label_scale = section("label_scale", "dataset",
                               {{"name", "npy"},
                                {"images", "x.npy"},
                                {"labels", "y.npy"},
                                {"label_scale", {{"quantity", "z"}, {"first", 0}, {"width", 1}}}});
    label_scale.where = Pointer("/dataset/label_scale");
    auto top_k = section("top_k", "strategy", {{"top_k", json::object()}});
    top_k.where = Pointer("/strategy/top_k");
    auto trace_steps = section("trace_steps", "measure", {{"trace_steps", json::object()}});
    trace_steps.where = Pointer("/measure/trace_steps");
    auto fault = section("fault", "faults", {{{"node", 0}, {"step", 1}, {"kind", "kill"}}});
    fault.spec["nodes"] = 4096;
    fault.where = Pointer("/faults/0");
    auto random_faults = section("random_faults", "faults", {{"mean_time_s", 1}});
    random_faults.spec["nodes"] = 4096;
    auto leaky = layer("dense", {{"units", 1}, {"activation", {{"name", "leaky_relu"}}}});
    leaky.definition = "leaky_relu";
    leaky.where = Pointer("/model/layers/0/activation");
    std::vector<Context> all{
        {"", Pointer(), {{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}}},
        section("dataset", "dataset", {{"name", "mnist"}}),
        section("spectra_dataset", "dataset", {{"name", "spectra"}, {"classes", 80}}),
        label_scale,
        section("npy_dataset", "dataset", {{"name", "npy"}, {"images", "x:/x"}, {"labels", "x:/y"}}),
        section("npy_inputs_dataset", "dataset", several),
        npy_input,
        section("named_model", "model", {{"name", "mnist_cnn"}}),
        section("inline_model", "model", {{"input", {1, 8, 8}}, {"layers", {{{"type", "flatten"}}}}}),
        node,
        cluster,
        host,
        section("strategy", "strategy", json::object()),
        calibration,
        range,
        measured,
        measured_node,
        measured_layer,
        measured_link,
        choice,
        top_k,
        section("gradient_clipping", "gradient_clipping", {{"limit", 1.0}}),
        section("schedule", "schedule", json::object()),
        section("early_stopping", "early_stopping", json::object()),
        section("target", "target", {{"accuracy", 0.5}}),
        section("sharding", "sharding", json::object()),
        section("input_pipeline", "input_pipeline", json::object()),
        augmentation,
        interleave,
        section("kernels", "kernels", json::object()),
        section("measure", "measure", json::object()),
        trace_steps,
        section("checkpoints", "checkpoints", {{"every_steps", 1}}),
        section("failures", "failures", json::object()),
        fault,
        random_faults,
        section("adadelta", "optimizer", json::object()),
        layer("conv1d", {{"filters", 1}, {"kernel", 1}}),
        layer("conv2d", {{"filters", 1}, {"kernel", 1}}),
        layer("dense", {{"units", 1}}),
        layer("activation", {{"activation", "relu"}}),
        leaky,
    };
    for (const auto* name : {"sgd", "adagrad", "adam"})
        all.push_back(section(name, "optimizer", {{"name", name}}));
    for (const auto* type :
         {"max_pool", "max_pool1d", "average_pool", "average_pool1d", "global_average_pool", "dropout",
          "flatten", "softmax", "batch_norm", "add", "concat"}) {
        all.push_back(layer(type, json::object()));
    }
    return all;
}

}  // namespace convoy::test
