#include "report/origin.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

json environment() {
    return {{"versions", {{"convoy", "0.1.0"}}},
            {"build", {{"commit", "0123456789ab"}, {"options", "Release -O3"}}},
            {"data",
             {{{"file", "x.npy"}, {"bytes", 3}, {"sha256", "aa"}},
              {{"file", "y.npy"}, {"bytes", 3}, {"sha256", "bb"}}}}};
}

std::vector<std::string> since(const json& before) {
    return origin_differences(before, environment(), "run/environment.json");
}

}  // namespace

TEST_CASE("runs of one build and the same data have one origin") {
    auto before = environment();
    before["data"][0].swap(before["data"][1]);
    CHECK(since(before).empty());
}

TEST_CASE("another build is told by what differs") {
    auto before = environment();
    before["build"]["commit"] = "0123456789ab-dirty-00112233";
    before["build"]["options"] = "Debug";
    before["versions"]["convoy"] = "0.0.9";
    CHECK(since(before) ==
          std::vector<std::string>{
              "version of convoy: \"0.0.9\" before, \"0.1.0\" now",
              "commit of convoy: \"0123456789ab-dirty-00112233\" before, \"0123456789ab\" now",
              "build options of convoy: \"Debug\" before, \"Release -O3\" now"});
}

TEST_CASE("a file of the data that has changed is named") {
    auto before = environment();
    before["data"][1]["sha256"] = "cc";
    CHECK(since(before) == std::vector<std::string>{"y.npy has changed since"});
}

TEST_CASE("what one of two runs does not tell is no difference") {
    auto before = environment();
    before.erase("build");
    before["data"].erase(0);
    CHECK(since(before).empty());
    before.erase("data");
    CHECK(since(before).empty());
}

TEST_CASE("a damaged description is an error that names it") {
    for (const auto* damaged : {"3", "[]", R"({"build": 1})", R"({"build": {"commit": 1}})",
                                R"({"data": [1]})", R"({"data": [{"file": 1}]})", R"({"data": 7})"}) {
        INFO(damaged);
        CHECK_THROWS_AS(since(json::parse(damaged)), DataError);
    }
}
