#include "init_command.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "data/npy_files.hpp"
#include "spec/parse.hpp"
#include "spec_template.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

int init(const std::vector<std::string>& words) {
    return init_command(words);
}

/// So many labels, with the classes 0, 1 and 2 in turn.
std::string labels(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 3);
    return npy_array("|u1", std::to_string(count), bytes);
}

/// An array of bytes whose first dimension is 10.
std::string ten_of(const std::string& shape, std::size_t bytes_of_one) {
    return npy_array("|u1", "10, " + shape, std::string(10 * bytes_of_one, '\x40'));
}

}  // namespace

TEST_CASE("a new spec loads, and names every section of a spec") {
    const TemporaryFolder folder;
    const auto file = folder / "first.json";
    REQUIRE(init({file.string()}) == 0);
    const auto spec = load_spec(file);
    CHECK(spec.name == "first");
    CHECK(spec.dataset.name == "synthetic_digits");
    const auto text = read_text(file);
    const auto sections = to_json(spec);  // it must outlive the loop
    for (const auto& [section, value] : sections.items()) CHECK_THAT(text, Contains("\"" + section + "\": "));
}

TEST_CASE("each line of a new spec that is a comment with a field is right when its // is taken away") {
    const TemporaryFolder folder;
    const auto text = spec_template("try", std::nullopt);
    std::size_t tried = 0;
    for (auto at = text.find("// , "); at != std::string::npos; at = text.find("// , ", at + 1)) {
        auto used = text;
        used.replace(at, 2, "");
        INFO(text.substr(at, text.find('\n', at) - at));
        CHECK_NOTHROW(load_spec(folder.write("used.json", used)));
        ++tried;
    }
    CHECK(tried >= 15);
}

TEST_CASE("the comment above each field of a new spec is one line of at most 110 characters") {
    std::istringstream lines(spec_template("try", std::nullopt));
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= 110);
    }
}

TEST_CASE("a new spec has the shape and the classes of the user's own data") {
    const TemporaryFolder folder;
    folder.write("data/x.npy", ten_of("3, 12, 16", 576));
    folder.write("data/y.npy", labels(10));
    const auto x = (folder / "data/x.npy").string();
    const auto y = (folder / "data/y.npy").string();
    REQUIRE(init({(folder / "own.json").string(), "--images", x, "--labels", y, "--test-fraction", "0.3"}) ==
            0);
    const auto text = read_text(folder / "own.json");
    CHECK_THAT(text, Contains("\"images\": \"data/x.npy\"") && Contains("\"labels\": \"data/y.npy\"") &&
                         Contains("\"input\": [3, 12, 16]") && Contains("\"classes\": 3") &&
                         Contains("7 images of 3x12x16 (C,H,W) to train on, 3 to test on") &&
                         Contains("conv2d"));
    const auto spec = load_spec(folder / "own.json");
    CHECK(spec.batch_size == 7);
    CHECK(spec.dataset.npy.value().test_fraction == 0.3);
    folder.write("elsewhere/some", "");
    REQUIRE(init({(folder / "elsewhere/../other.json").string(), "--images", x, "--labels", y,
                  "--test-images", x, "--test-labels", y}) == 0);
    CHECK(load_spec(folder / "other.json").dataset.npy.value().test_labels.has_value());
}

TEST_CASE("a new spec may go into the working folder, beside its data") {
    const TemporaryFolder folder;
    folder.write("x.npy", ten_of("3, 12, 16", 576));
    folder.write("y.npy", labels(10));
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder / ".");
    const int code = init({"bare.json", "--images", "x.npy", "--labels", "y.npy"});
    std::filesystem::current_path(before);
    CHECK(code == 0);
    CHECK_THAT(read_text(folder / "bare.json"), Contains("\"images\": \"x.npy\""));
}

TEST_CASE("a new spec knows rows of numbers, and images whose channels are last") {
    const TemporaryFolder folder;
    folder.write("rows.npy", ten_of("5", 5));
    folder.write("last.npy", ten_of("12, 16, 3", 576));
    folder.write("y.npy", labels(10));
    const auto y = (folder / "y.npy").string();
    REQUIRE(init({(folder / "rows.json").string(), "--images", (folder / "rows.npy").string(), "--labels",
                  y}) == 0);
    const auto rows = read_text(folder / "rows.json");
    CHECK_THAT(rows,
               Contains("\"input\": [1, 1, 5]") && Contains("rows of 5 numbers") && !Contains("\"conv2d\""));
    REQUIRE(init({(folder / "last.json").string(), "--images", (folder / "last.npy").string(), "--labels",
                  y}) == 0);
    CHECK_THAT(read_text(folder / "last.json"),
               Contains("\"input\": [3, 12, 16]") && Contains("\"layout\": \"nhwc\""));
    CHECK_NOTHROW(load_spec(folder / "rows.json"));
    CHECK_NOTHROW(load_spec(folder / "last.json"));
}

TEST_CASE("convoy init writes over nothing, and says what is wrong with its options") {
    const TemporaryFolder folder;
    const auto file = folder.write("mine.json", "mine").string();
    CHECK_THROWS_AS(init({file}), UsageError);
    CHECK(read_text(file) == "mine");
    const auto dangling = folder / "dangling.json";
    fs::create_symlink(folder / "nowhere", dangling);
    CHECK_THROWS_AS(init({dangling.string()}), UsageError);
    CHECK_FALSE(fs::exists(folder / "nowhere"));
    folder.write("y.npy", labels(10));
    const auto y = (folder / "y.npy").string();
    const auto next = (folder / "next.json").string();
    CHECK_THROWS_WITH(init({next, "--images", "x.npy"}), StartsWith("--images: goes with --labels"));
    CHECK_THROWS_WITH(init({next, "--images", y, "--labels", y, "--test-images", y}),
                      StartsWith("--test-images: goes with"));
    CHECK_THROWS_WITH(init({next, "--test-fraction", "0.1"}), StartsWith("--images: is missing"));
    CHECK_THROWS_WITH(init({next, "--images", y, "--labels", y, "--test-fraction", "1.5"}),
                      StartsWith("--test-fraction: found 1.5"));
    const auto none = (folder / "none.npy").string();
    CHECK_THROWS_WITH(init({next, "--images", none, "--labels", y}), StartsWith("--images: " + none));
    CHECK_THROWS_AS(init({next, "--images", none, "--labels", y}), MissingFileError);
    CHECK_THROWS_WITH(init({next, "--images", y, "--labels", none}), StartsWith("--labels: " + none));
    CHECK_THROWS_AS(init({(folder / "no/folder.json").string()}), OutputError);
    CHECK_FALSE(fs::exists(next));
}
