#include "measure/summary_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "measure/summary_example.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a summary of an older run has no stages, and no others of its fields may be missing") {
    auto older = summary_to_json(summary_example());
    for (const auto* key : {"interleave_s", "prepare_s", "shuffle_s", "batch_s", "map_s", "augment_s"}) {
        CHECK(older.contains(key));
        older.erase(key);
    }
    CHECK(summary_from_json(older).input == InputTimes{});
    CHECK(summary_from_json(older).train_s == 5.5);
    CHECK(summary_example().input.total() == 120.0);
    CHECK_THROWS_AS(summary_from_json(nlohmann::json(3)), DataError);
}

TEST_CASE("a summary is an object with a key per field") {
    const auto summary = summary_example();
    const auto json = summary_to_json(summary);
    CHECK(json.at("peak_resident_bytes") == 8);
    CHECK(json.at("clock_start_us") == -14.5);
    CHECK(summary_from_json(json) == summary);
    auto before_checkpoints = json;
    before_checkpoints.erase("checkpoint_s");
    CHECK(summary_from_json(before_checkpoints).checkpoint_s == 0.0);
    auto less = json;
    less.erase("steps");
    CHECK_THROWS_WITH(summary_from_json(less), Contains("steps is missing"));
}

TEST_CASE("a summary without contention is shorter, as older versions wrote it") {
    auto older = summary_example();
    older.contention.reset();
    older.label_counts.clear();
    older.parts.clear();
    older.fetch_s = 0.0;
    const auto list = summary_to_list(older);
    CHECK(list.size() == 23);
    CHECK(summary_from_list(list, "here") == older);
    const auto object = summary_to_json(older);
    CHECK(object.at("contention").is_null());
    CHECK(summary_from_json(object) == older);
    auto without = object;
    without.erase("contention");
    CHECK(summary_from_json(without) == older);
    auto longer = summary_to_list(summary_example());
    longer.push_back(1);
    CHECK_THROWS_AS(summary_from_list(longer, "here"), DataError);
}

TEST_CASE("a summary has the labels of the node, also without contention, and older ones have none") {
    auto summary = summary_example();
    CHECK(summary_to_json(summary).at("label_counts") == nlohmann::json{23, 0, 24});
    summary.contention.reset();
    CHECK(summary_from_list(summary_to_list(summary), "here") == summary);
    auto object = summary_to_json(summary);
    CHECK(summary_from_json(object) == summary);
    object["label_counts"] = {1, -1};
    CHECK_THROWS_WITH(summary_from_json(object), Contains("label_counts"));
    object["label_counts"] = "x";
    CHECK_THROWS_WITH(summary_from_json(object), Contains("label_counts"));
    object.erase("label_counts");
    CHECK(summary_from_json(object).label_counts.empty());
    auto list = summary_to_list(summary_example());
    list.erase(list.size() - 1);
    list.erase(list.size() - 1);  // as an older version wrote it
    CHECK(summary_from_list(list, "here").contention == contention_example());
}

TEST_CASE("a summary has the parts of parameters that the node holds") {
    auto summary = summary_example();
    const auto json = summary_to_json(summary);
    CHECK(json.at("parts") == nlohmann::json{{"conv2d_1.weight", 25, 26, 52}});
    CHECK(summary_from_json(json) == summary);
    summary.label_counts.clear();
    CHECK(summary_from_list(summary_to_list(summary), "here") == summary);
    auto beyond = json;
    beyond["parts"][0] = {"conv2d_1.weight", 30, 26, 52};
    CHECK_THROWS_WITH(summary_from_json(beyond), Contains("parts") && Contains("first + count"));
    beyond["parts"] = "x";
    CHECK_THROWS_WITH(summary_from_json(beyond), Contains("parts"));
    summary.parts.clear();
    CHECK_FALSE(summary_to_json(summary).contains("parts"));
}

TEST_CASE("a summary has the time to fetch, if there was any") {
    NodeSummary summary;
    CHECK_FALSE(summary_to_json(summary).contains("fetch_s"));
    summary.fetch_s = 1.5;
    CHECK(summary_to_json(summary).at("fetch_s") == 1.5);
    CHECK(summary_from_json(summary_to_json(summary)) == summary);
    CHECK(summary_from_list(summary_to_list(summary), "list") == summary);
    summary.label_counts = {3, 4};
    CHECK(summary_from_list(summary_to_list(summary), "list") == summary);
    auto wrong = summary_to_json(summary);
    wrong["fetch_s"] = -1;
    CHECK_THROWS_WITH(summary_from_json(wrong), Contains("fetch_s"));
}
