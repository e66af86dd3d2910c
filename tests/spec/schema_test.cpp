// experiments/schema.json, which editors use, and the parser say the same. Every object of the schema is put
// where it stands in a spec, and each of its properties is tried: value by value the parser must do what the
// schema says.

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using nlohmann::json;
using Pointer = json::json_pointer;

namespace {

const std::filesystem::path experiments = CONVOY_EXPERIMENTS;

const json& schema() {
    static const json loaded = json::parse(read_text(experiments / "schema.json"));
    return loaded;
}

const json& resolve(const json& part) {
    if (!part.contains("$ref")) return part;
    return schema().at(Pointer(part["$ref"].get<std::string>().substr(1)));
}

bool accepts(const json& spec) {
    try {
        parse_spec(spec);
        return true;
    } catch (const DataError&) {
        return false;
    }
}

/// An object of the schema, where it stands in a spec, and the least spec that has it there.
struct Context {
    std::string definition;  ///< "" for the root
    Pointer where;
    json spec;

    [[nodiscard]] const json& object_schema() const {
        return definition.empty() ? schema() : schema().at("$defs").at(definition);
    }
    [[nodiscard]] json with(const std::string& key, const json& value) const {
        auto changed = spec;
        changed[where][key] = value;
        return changed;
    }
    [[nodiscard]] json without(const std::string& key) const {
        auto changed = spec;
        changed[where].erase(key);
        return changed;
    }
};

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
    auto measured_link = measured;
    measured_link.definition = "link_calibration";
    measured_link.spec["calibration"]["links"] = {
        {{"from", 0}, {"to", most_hosts - 1}, {"mbit", 1}, {"latency_us", 1}}};
    measured_link.where = Pointer("/calibration/links/0");
    auto choice = measured;
    choice.definition = "all_reduce_choice";
    choice.spec["calibration"]["all_reduce"] = {{{"nodes", 2}, {"up_to_bytes", 1}, {"algorithm", "tree"}}};
    choice.where = Pointer("/calibration/all_reduce/0");
    const json several{{"name", "npy"}, {"inputs", {{"image", {{"files", "x.npy"}}}}}, {"labels", "y.npy"}};
    auto npy_input = section("npy_input", "dataset", several);
    npy_input.where = Pointer("/dataset/inputs/image");
    auto top_k = section("top_k", "strategy", {{"top_k", json::object()}});
    top_k.where = Pointer("/strategy/top_k");
    std::vector<Context> all{
        {"", Pointer(), {{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}}},
        section("dataset", "dataset", {{"name", "mnist"}}),
        section("npy_dataset", "dataset", {{"name", "npy"}, {"images", "x.npy"}, {"labels", "y.npy"}}),
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
        section("checkpoints", "checkpoints", {{"every_steps", 1}}),
        section("adadelta", "optimizer", json::object()),
        layer("conv2d", {{"filters", 1}, {"kernel", 1}}),
        layer("dense", {{"units", 1}}),
        layer("activation", {{"activation", "relu"}}),
    };
    for (const auto* name : {"sgd", "adagrad", "adam"})
        all.push_back(section(name, "optimizer", {{"name", name}}));
    for (const auto* type :
         {"max_pool", "average_pool", "dropout", "flatten", "softmax", "batch_norm", "add", "concat"}) {
        all.push_back(layer(type, json::object()));
    }
    return all;
}

/// What a property's schema must hold of a value, as far as convoy's schema goes.
bool fits(const json& rule, const json& value) {
    const auto& part = resolve(rule);
    if (part.contains("oneOf")) {
        return std::ranges::count_if(part["oneOf"],
                                     [&](const json& option) { return fits(option, value); }) == 1;
    }
    if (part.contains("const")) return part["const"] == value;
    if (part.contains("not") && fits(part["not"], value)) return false;
    if (part.contains("enum")) return std::ranges::find(part["enum"], value) != part["enum"].end();
    const auto is = [&value](const std::string& type) {
        if (type == "integer")
            return value.is_number() && value.get<double>() == std::trunc(value.get<double>());
        if (type == "number") return value.is_number();
        return type == value.type_name();
    };
    const auto& types = part.at("type");
    const bool known = types.is_array() ? std::ranges::any_of(types, is) : is(types);
    if (!known) return false;
    if (value.is_number()) {
        return value >= part.value("minimum", json(-1e300)) && value <= part.value("maximum", json(1e300)) &&
               value > part.value("exclusiveMinimum", json(-1e300)) &&
               value < part.value("exclusiveMaximum", json(1e300));
    }
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return text.size() >= part.value("minLength", 0U) &&
               text.size() <= part.value("maxLength", SIZE_MAX) &&
               (!part.contains("pattern") ||
                std::regex_search(text, std::regex(part["pattern"].get<std::string>())));
    }
    if (value.is_array()) {
        return value.size() >= part.value("minItems", 0U) &&
               value.size() <= part.value("maxItems", SIZE_MAX) &&
               std::ranges::all_of(value, [&](const json& item) { return fits(part["items"], item); });
    }
    if (value.is_object() && part.at("additionalProperties").is_object()) {
        return value.size() >= part["minProperties"] && value.size() <= part["maxProperties"] &&
               std::ranges::all_of(value.items(), [&](const auto& item) {
                   return fits(part["propertyNames"], item.key()) &&
                          fits(part["additionalProperties"], item.value());
               });
    }
    if (value.is_object()) {
        const auto required = part.value("required", json::array());
        return std::ranges::all_of(required, [&](const json& key) { return value.contains(key); }) &&
               std::ranges::all_of(value.items(), [&](const auto& item) {
                   return part["properties"].contains(item.key()) &&
                          fits(part["properties"][item.key()], item.value());
               });
    }
    return true;
}

/// Adds the values at the edges of one part of a property's schema, on both sides of each.
void add_edges(const json& rule, std::vector<json>& values) {
    const auto& part = resolve(rule);
    for (const auto& option : part.value("oneOf", json::array())) add_edges(option, values);
    for (const auto& value : part.value("enum", json::array())) values.push_back(value);
    for (const auto& value : part.value("examples", json::array())) values.push_back(value);
    if (part.contains("const")) values.push_back(part["const"]);
    if (part.contains("default")) values.push_back(part["default"]);
    for (const auto* bound : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
        if (!part.contains(bound)) continue;
        if (part["type"].dump().find("number") != std::string::npos) {
            const double edge = part[bound];
            for (const double value : {edge, std::nextafter(edge, -1e300), std::nextafter(edge, 1e300)}) {
                values.emplace_back(value);
            }
        } else {
            const std::int64_t edge = part[bound];
            for (const std::int64_t value : {edge, edge - 1, edge + 1}) values.emplace_back(value);
            values.emplace_back(static_cast<double>(edge) + 0.5);
        }
    }
    if (part.contains("maxLength")) {
        const std::size_t longest = part["maxLength"];
        values.emplace_back(std::string(longest, 'a'));
        values.emplace_back(std::string(longest + 1, 'a'));
    }
    if (part.value("type", json()) == "array") {
        const auto item = part["items"].contains("type") ? json(2) : json::object({{"type", "flatten"}});
        const std::size_t most = part["maxItems"];
        for (const auto size : {std::size_t{0}, most - 1, most, most + 1}) values.push_back(json(size, item));
    }
}

/// Values of every kind, beside the edges.
std::vector<json> probes(const json& rule) {
    std::vector<json> values{nullptr,
                             true,
                             false,
                             0,
                             1,
                             -1,
                             2,
                             0.5,
                             "",
                             "a",
                             "a-b",
                             "a_b",
                             "a.b",
                             "A1",
                             "1",
                             "-a",
                             ".a",
                             "_a",
                             "a/b",
                             "a b",
                             "a\n",
                             "..",
                             "inline",
                             "auto",
                             json::array(),
                             json::object(),
                             1e300,
                             json::array({1}),
                             {{"no_such_key", 1}},
                             "no_such_name",
                             18446744073709551615U};
    add_edges(rule, values);
    return values;
}

}  // namespace

TEST_CASE("the parser takes and refuses the values that the schema does, property by property") {
    for (const auto& context : contexts()) {
        for (const auto& [key, rule] : context.object_schema().at("properties").items()) {
            auto roomy = context;
            const bool needs_room = key != "batch_size" && key != "micro_batch_size";
            if (context.definition.empty() && needs_room) roomy.spec["batch_size"] = 1 << 20;
            if (context.definition == "node" && key == "host") {
                roomy.spec["nodes"] = json(most_hosts, json::object());
                roomy.spec["cluster"] = json::object();
            }
            // No other node whose kernels must suit.
            if (context.definition == "node" && key == "kernels") roomy.spec["nodes"] = {json::object()};
            int taken = 0;
            for (const auto& value : probes(rule)) {
                INFO(context.where << " " << key << " = " << value.dump().substr(0, 200));
                const bool accepted = accepts(roomy.with(key, value));
                CHECK(accepted == fits(rule, value));
                taken += accepted ? 1 : 0;
            }
            INFO(context.where << " " << key);
            CHECK((taken > 0 || key == "dataset" || key == "layers"));
        }
    }
}

TEST_CASE("what the schema requires is required, the rest has the default that it names") {
    const std::set<std::string> defaults_that_depend{"stride of max_pool", "stride of average_pool",
                                                     "name of a layer"};
    for (const auto& context : contexts()) {
        const auto& object = context.object_schema();
        const auto required = object.value("required", json::array());
        for (const auto& [key, rule] : object.at("properties").items()) {
            INFO(context.where << " " << key << " of " << context.definition);
            if (std::ranges::find(required, json(key)) != required.end()) {
                const bool chooses = rule.contains("const");  // without it the spec means another object
                CHECK((chooses || !accepts(context.without(key))));
                if (chooses && accepts(context.without(key))) {
                    CHECK_FALSE(parse_spec(context.without(key)) == parse_spec(context.spec));
                }
                continue;
            }
            REQUIRE(accepts(context.without(key)));
            const bool is_layer = context.where.to_string().starts_with("/model/layers");
            if (defaults_that_depend.contains(key + " of " +
                                              (is_layer && key == "name" ? "a layer" : context.definition))) {
                continue;
            }
            const json& part = rule.contains("default") ? rule : resolve(rule);
            REQUIRE(part.contains("default"));
            CHECK(parse_spec(context.with(key, part["default"])) == parse_spec(context.without(key)));
            const auto written = to_json(parse_spec(context.without(key)));
            const auto& object_written = written[context.where];
            const bool as_it_is = !part["default"].is_object() && key != "optimizer" && key != "$schema";
            if (as_it_is) CHECK(object_written.at(key) == part["default"]);
        }
    }
}

TEST_CASE("every field that the parser knows is in the schema, and no other key is taken") {
    for (const auto& context : contexts()) {
        INFO(context.where << " " << context.definition);
        const auto& object = context.object_schema();
        CHECK(object.at("additionalProperties") == false);
        CHECK_FALSE(object.value("description", "").empty());
        CHECK_FALSE(accepts(context.with("no_such_key", 1)));
        const auto written = to_json(parse_spec(context.spec));
        for (const auto& [key, value] : written[context.where].items()) {
            INFO(key);
            CHECK(object["properties"].contains(key));
        }
        for (const auto& [key, rule] : object["properties"].items()) {
            INFO(key);
            CHECK_FALSE(rule.value("description", resolve(rule).value("description", "")).empty());
            CHECK((key == "$schema" || written[context.where].contains(key)));
        }
    }
}

TEST_CASE("every object of the schema is tried, and every number in it has bounds") {
    std::set<std::string> tried;
    for (const auto& context : contexts()) tried.insert(context.definition);
    const std::set<std::string> scalars{"model_name", "strategy_name", "kernels_name", "schedule_name"};
    const auto& definitions = schema()["$defs"];
    for (const auto& [name, definition] : definitions.items()) {
        INFO(name);
        CHECK(tried.contains(name) != scalars.contains(name));
    }
    for (const auto& context : contexts()) {
        for (const auto& [key, rule] : context.object_schema()["properties"].items()) {
            const auto type = rule.value("type", json()).dump();
            if (type.find("integer") == std::string::npos && type.find("number") == std::string::npos)
                continue;
            INFO(context.definition << " " << key);
            CHECK((rule.contains("minimum") || rule.contains("exclusiveMinimum")));
            CHECK((rule.contains("maximum") || rule.contains("exclusiveMaximum")));
        }
    }
}

namespace {

void check_experiment(const std::filesystem::path& file, const std::string& schema_path) {
    INFO(file);
    CHECK(load_spec(file).name == file.stem());
    const auto content = json::parse(read_text(file));
    CHECK(content.at("$schema") == schema_path);
    CHECK(fits(schema(), content));
}

}  // namespace

TEST_CASE("the experiments that come with convoy are good specs") {
    int specs = 0;
    const std::map<std::filesystem::path, std::string> folders{{experiments, "./schema.json"},
                                                               {experiments / "systems", "../schema.json"}};
    for (const auto& [folder, schema_path] : folders) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".json" || entry.path().filename() == "schema.json") continue;
            check_experiment(entry.path(), schema_path);
            ++specs;
        }
    }
    CHECK(specs >= 5);
}
