#include "error_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/exit_codes.hpp"
#include "base/json_text.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

json told(const Error& error) {
    return error_json(error).at("error");
}

}  // namespace

TEST_CASE("an error as JSON has its code, its kind and its line") {
    CHECK(told(UsageError("convoy run: no spec is given")) ==
          json{{"code", 64}, {"kind", "usage"}, {"message", "convoy run: no spec is given"}});
    CHECK(told(InternalError("a bug: x; please report it")).at("kind") == "bug");
    CHECK(told(OutputError("no room")).at("code") == 73);
}

TEST_CASE("an error as JSON names the file and the field that its line begins with") {
    const TemporaryFolder folder;
    const auto of_field = told(DataError("$.model.layers[1].inputs: missing, expected: a name"));
    CHECK(of_field.at("field") == "$.model.layers[1].inputs");
    CHECK_FALSE(of_field.contains("file"));
    const auto plain = folder.write("spec.json", "{}").string();
    const auto of_both = told(DataError(plain + ": $.optimizer.rho: found 2, expected a number in [0, 1)"));
    CHECK(of_both.at("file") == plain);
    CHECK(of_both.at("field") == "$.optimizer.rho");
    const auto missing = told(MissingFileError("--images: none.npy: No such file or directory"));
    CHECK(missing.at("file") == "none.npy");
    CHECK_FALSE(missing.contains("field"));
    const auto of_node = told(MissingFileError("node 0 (pid 7): none.npy: not there"));
    CHECK(of_node.at("file") == "none.npy");
    const auto neither = told(DataError("training diverged: the loss is nan"));
    CHECK_FALSE(neither.contains("file"));
    CHECK_FALSE(neither.contains("field"));
}

TEST_CASE("an error with bytes that are no text is JSON all the same") {
    const auto text = json_text(error_json(MissingFileError("d\xff/x: No such file or directory")));
    CHECK(json::parse(text).at("error").at("file") == "d\xee\xbf\xbf/x");
}

TEST_CASE("a command line asks for JSON by one word") {
    const std::vector<std::string> with{"run", "--jsn", "--json"};
    const std::vector<std::string> without{"run", "json", "--json-lines"};
    CHECK(wants_json(with));
    CHECK_FALSE(wants_json(without));
}

TEST_CASE("every exit code has a name of its own") {
    for (const auto& row : exit_codes) {
        CHECK(kind_of(row.code) == row.kind);
        CHECK_FALSE(row.meaning.empty());
    }
}
