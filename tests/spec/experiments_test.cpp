#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "spec/parse.hpp"
#include "spec/schema_rules.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

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
    const std::filesystem::path experiments = CONVOY_EXPERIMENTS;
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
