// experiments/schema.json, which editors use, and the parser say the same. Every object of the schema is put
// where it stands in a spec, and each of its properties is tried: value by value the parser must do what the
// schema says.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/error.hpp"
#include "spec/parse.hpp"
#include "spec/schema_contexts.hpp"
#include "spec/schema_rules.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

bool accepts(const json& spec) {
    try {
        parse_spec(spec);
        return true;
    } catch (const DataError&) {
        return false;
    }
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
            // The policy shrink needs whole steps.
            if (key == "failures" || context.definition == "failures")
                roomy.spec["strategy"] = {{"name", "ring_allreduce"}, {"commit", "by_step"}};
            if (key == "grow") roomy.spec["failures"] = {{"policy", "shrink"}};
            if (key == "heartbeat_s") roomy.spec["deadline_s"] = 86400;
            if (key == "faults") roomy.spec["nodes"] = 4096;
            // No other node whose kernels must suit.
            if (context.definition == "node" && key == "kernels") roomy.spec["nodes"] = {json::object()};
            int taken = 0;
            for (const auto& value : probes(rule)) {
                // As many nodes as it has weights.
                if ((key == "balance" || key == "shares") && value.is_array())
                    roomy.spec["nodes"] = std::clamp<std::size_t>(value.size(), 1, 4096);
                // As many nodes as it has stages.
                if (key == "stages") {
                    const bool counts = value.is_number_integer();
                    roomy.spec["strategy"]["name"] = counts ? "model_split" : "ring_allreduce";
                    roomy.spec["nodes"] = counts ? std::clamp<std::int64_t>(value, 1, 64) : 1;
                }
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
                                                     "stride of max_pool1d", "stride of average_pool1d",
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
