#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

json after(const std::string& start, const std::string& assignment) {
    auto spec = json::parse(start);
    apply_override(spec, assignment);
    return spec;
}

std::string refusal(const std::string& start, const std::string& assignment) {
    return error_line<UsageError>([&] { after(start, assignment); });
}

}  // namespace

TEST_CASE("an override sets fields of any depth") {
    CHECK(after("{}", "epochs=3") == json::parse(R"({"epochs": 3})"));
    CHECK(after("{}", "strategy.bucket_bytes=65536") ==
          json::parse(R"({"strategy": {"bucket_bytes": 65536}})"));
    CHECK(after(R"({"nodes": [{}, {}]})", "nodes.1.threads=2") ==
          json::parse(R"({"nodes": [{}, {"threads": 2}]})"));
    CHECK(after(R"({"strategy": {"overlap": false}})", "strategy=local") ==
          json::parse(R"({"strategy": "local"})"));
    CHECK(after(R"({"optimizer": "adam"})", "optimizer.beta1=0.5") ==
          json::parse(R"({"optimizer": {"name": "adam", "beta1": 0.5}})"));
}

TEST_CASE("an override's value is JSON, or else a text") {
    CHECK(after("{}", "a=true")["a"] == true);
    CHECK(after("{}", "a=null")["a"].is_null());
    CHECK(after("{}", R"(a={"b": [1]})")["a"] == json::parse(R"({"b": [1]})"));
    CHECK(after("{}", "a=mnist")["a"] == "mnist");
    CHECK(after("{}", "a=x=y")["a"] == "x=y");
    CHECK(after("{}", "a=")["a"] == "");
    CHECK(after("{}", "a=1e999")["a"] == "1e999");
    CHECK(after("{}", R"(a="7")")["a"] == "7");
}

TEST_CASE("an override that cannot be read is a usage error that repeats it") {
    for (const auto* assignment : {"epochs", "=3", "a..b=1", ".a=1", "a.=1", "a.b.c.d.e.f.g.h.i=1"}) {
        CHECK_THAT(refusal("{}", assignment),
                   Catch::StartsWith("--set \"" + std::string(assignment) + "\": "));
    }
    CHECK_THAT(refusal(R"({"nodes": [{}]})", "nodes.1.threads=2"),
               Catch::EndsWith("\"1\" is not an index of a list of 1"));
    CHECK_THAT(refusal(R"({"nodes": [{}]})", "nodes.-1=2"),
               Catch::EndsWith("\"-1\" is not an index of a list of 1"));
    CHECK_THAT(refusal(R"({"nodes": 4})", "nodes.1.threads=2"),
               Catch::EndsWith("what holds \"1\" is 4, not an object or a list"));
    CHECK_THAT(refusal("{}", "a={\"b\": 1, \"b\": 2}"),
               Catch::EndsWith("key \"b\" stands twice in one object; remove one"));
    CHECK_FALSE(refusal("{}", "a=" + std::string(100000, '[') + std::string(100000, ']')).empty());
}

TEST_CASE("a path with any bytes may be given") {
    const auto given = [](const std::string& value) {
        json spec = json::object();
        apply_override(spec, "a=" + value);
        return spec.at("a");
    };
    CHECK(given("d\xff/x") == "d\xee\xbf\xbf/x");
    CHECK(given("[\"d\xff\"]") == json::array({"d\xee\xbf\xbf"}));
    CHECK(given("\xc3\xa4") == "\xc3\xa4");
}
