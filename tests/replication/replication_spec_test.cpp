#include "replication/replication_spec.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "data/temporary_folder.hpp"
#include "replication/published.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Message;
using nlohmann::json;

namespace {

json small() {
    return json::parse(R"({"format": "convoy replication", "title": "t", "source": "s", "systems": ["a", "b"],
        "measures": {"time": {"unit": "us", "terms": [{"operator": "*"}]}},
        "tables": [{"title": "times", "tables": ["1"], "measure": "time"}],
        "claims": [{"id": "c", "claim": "t", "where": "w", "measure": "time", "row": "R", "of": "a/b",
                    "form": "above", "bound": 1}]})");
}

ReplicationSpec parse(const json& value) {
    return parse_replication(value.dump(), "r.json");
}

/// The error for a file in which the value at a place is another.
std::string error_with(const char* place, const json& value) {
    auto changed = small();
    changed[json::json_pointer(place)] = value;
    try {
        parse(changed);
    } catch (const DataError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a replication file says how published figures are measured") {
    const auto spec = parse(small());
    CHECK(spec.a == "a");
    CHECK(spec.measures.at("time").of("a")->front().per == Per::epoch);
    CHECK(spec.claims.front().bound == 1.0);
    int folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PUBLISHED_FOLDER)) {
        if (!entry.is_directory()) continue;
        INFO(entry.path());
        CHECK_FALSE(read_replication(entry.path()).claims.empty());
        CHECK_FALSE(read_published(entry.path()).empty());
        ++folders;
    }
    CHECK(folders >= 5);
}

TEST_CASE("a folder or a file without published figures is named as such") {
    const TemporaryFolder folder;
    for (const auto& place : {folder.path(), folder.write("small.tar.gz", "x"), folder / "none"}) {
        INFO(place);
        CHECK_THROWS_MATCHES(
            read_replication(place), MissingFileError,
            Message(place.string() + ": is no folder of published figures, since it has no replication.json "
                                     "(an archive of a paper is for `convoy reproduce`)"));
    }
    std::filesystem::create_symlink("replication.json", folder / "replication.json");
    CHECK_THROWS_WITH(read_replication(folder.path()), !Contains("since it has no"));
}

TEST_CASE("a replication file that is wrong is refused with the place") {
    CHECK_THAT(error_with("/format", "x"), Contains("$.format"));
    CHECK_THAT(error_with("/systems", {"a", "a"}), Contains("$.systems"));
    CHECK_THAT(error_with("/more", 1), Contains("$.more: unknown key"));
    CHECK_THAT(error_with("/level", 0.5), Contains("$.level"));
    CHECK_THAT(error_with("/tables/0/measure", "none"), Contains("has no \"none\""));
    CHECK_THAT(error_with("/claims/0/of", "b/a"), Contains("expected a, b or a/b"));
    const auto one_term = json::array({{{"operator", "R"}}});
    CHECK_THAT(error_with("/measures/time/systems", {{"c", one_term}}), Contains("expected a or b"));
    CHECK_THAT(error_with("/measures/time/systems", {{"a", json::array()}}),
               Contains("$.measures.time.systems.a: expected one term or more"));
    CHECK_THAT(error_with("/measures/time/terms", json::array()),
               Contains("$.measures.time.terms: expected one term or more"));
    CHECK_THAT(
        error_with("/measures/time/terms/0", {{"table", "epochs"}, {"column", "train_s"}, {"per", "epoch"}}),
        Contains("per: expected \"run\""));
    CHECK_THAT(error_with("/claims/0/form", "over"), Contains("expected one of above, below"));
    CHECK_THAT(error_with("/measures/time/terms/0/per", "day"), Contains("per"));
    CHECK_THAT(error_with("/measures/time/terms/0", {{"table", "x"}, {"column", "y"}}),
               Contains("expected one of operators"));
    CHECK_THAT(error_with("/measures/time/terms", "x"), Contains("a list of at most"));
    auto mixed = small();
    mixed["measures"]["size"] = {{"unit", "GB"}, {"terms", one_term}};
    mixed["tables"][0]["by_row"] = {{"R", "size"}};
    CHECK_THROWS_WITH(parse(mixed), Contains("$.measures.size.unit: expected us"));
    auto without = small();
    without["claims"][0].erase("bound");
    CHECK_THROWS_WITH(parse(without), Contains("$.claims[0].bound"));
    CHECK_THROWS_AS(parse_replication("[]", "r"), DataError);
}

TEST_CASE("a file of operator names that has none is refused, since no operator would get one") {
    const TemporaryFolder folder;
    const auto names = [&folder](const char* text) {
        return read_operator_names(folder.write("names.json", text));
    };
    CHECK(names(R"({"names": [{"name": "_FusedConv2D", "operators": ["Conv2D"]}]})").size() == 1);
    CHECK_THROWS_WITH(names(R"({"name": []})"), Contains("names.json: expected names of operators"));
}
