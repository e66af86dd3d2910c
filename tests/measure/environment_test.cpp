#include "measure/environment.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/version.hpp"

using namespace convoy;

TEST_CASE("the environment names machine, versions and date") {
    const auto json = environment_json({{"convoy", "1.2.3"}, {"onednn", "2.6"}});
    CHECK(json.at("versions") == nlohmann::json{{"convoy", "1.2.3"}, {"onednn", "2.6"}});
    CHECK(json.at("build") == nlohmann::json{{"commit", commit()}, {"options", build_options()}});
    CHECK(json.at("cpu").at("cores").get<int>() >= 1);
    CHECK(json.at("cpu").at("usable_cores").get<int>() >= 1);
    CHECK(json.at("cpu").at("usable_cores") <= json.at("cpu").at("cores"));
    CHECK(json.at("cpu").at("model").is_null() == json.at("cpu").contains("model_reason"));
    CHECK(json.at("cpu").at("flags").is_array());
    CHECK(json.at("memory_bytes").get<std::uint64_t>() > 1'000'000);
    CHECK(json.at("kernel").get<std::string>().starts_with("Linux "));
    CHECK(std::regex_match(json.at("date_utc").get<std::string>(),
                           std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}
