#include "base/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

std::string refusal(const std::string& text) {
    return error_line<DataError>([&] { parse_json(text, "a.json"); });
}

std::string nested(int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

}  // namespace

TEST_CASE("JSON is parsed as the library does") {
    CHECK(parse_json(R"({"a": [1, {"b": null}], "c": {"b": "é"}})", "a.json") ==
          json::parse(R"({"c": {"b": "é"}, "a": [1, {"b": null}]})"));
    CHECK(parse_json("3", "a.json") == 3);
}

TEST_CASE("comments are ignored where people write JSON, and refused elsewhere") {
    const auto* text = "// a spec\n{\"a\": 1, /* so many */ \"b\": \"// no comment\"}";
    CHECK(parse_json(text, "s", JsonComments::ignored) == json{{"a", 1}, {"b", "// no comment"}});
    CHECK_THROWS_AS(parse_json(text, "s"), DataError);
    CHECK_THROWS_AS(parse_json("{\"a\": 1} /* no end", "s", JsonComments::ignored), DataError);
}

TEST_CASE("a key that stands twice in one object is an error, in two objects it is not") {
    CHECK(refusal(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 1}]})").empty());
    CHECK(refusal(R"({"b": [{"a": 1, "a": 1}]})") ==
          "a.json: key \"a\" stands twice in one object; remove one");
    CHECK_FALSE(refusal(R"({"a": {"b": 1}, "a": 2})").empty());
}

TEST_CASE("containers nested too deep are an error, however deep") {
    CHECK(refusal(nested(max_json_depth)).empty());
    CHECK(refusal(nested(max_json_depth + 1)) == "a.json: nested deeper than 32 levels");
    CHECK_FALSE(refusal(nested(1000000)).empty());
}

TEST_CASE("what is not JSON is refused in one short line that says where") {
    CHECK_THAT(refusal("{\"a\": 1,\n \"b\" 2}"),
               Catch::StartsWith("a.json: not JSON: parse error at line 2, column 6"));
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("\"\xff\""), std::string("1e999"), std::string("NaN"),
          std::string("{} {}"), "\"" + std::string(100000, 'x'), std::string("\"a\n\"")}) {
        const auto line = refusal(text);
        CHECK_THAT(line, Catch::StartsWith("a.json: not JSON: "));
        CHECK(line.size() < 300);
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("a value is described in a few plain characters") {
    CHECK(describe(json(0.5)) == "0.5");
    CHECK(describe(json("a\n")) == "\"a\\n\"");
    CHECK(describe(json("\xff")) == "\"\\ufffd\"");
    CHECK(describe(json(std::string(100, 'x'))).size() == 60);
    CHECK(describe(json::object()) == "an empty object");
    CHECK(describe(json{{"a", 1}}) == "an object");
    CHECK(describe(json::array({1, 2})) == "a list of 2");
}
