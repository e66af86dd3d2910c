#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "data/npy_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

struct Wrong {
    std::vector<std::string> words;
    int code;
    std::string begin;  ///< of the line, behind "convoy: "
};

void check(const std::vector<Wrong>& all) {
    for (const auto& wrong : all) {
        const auto outcome = run_convoy(wrong.words);
        INFO(wrong.begin);
        CHECK(outcome.code == wrong.code);
        CHECK_THAT(outcome.err, StartsWith("convoy: " + wrong.begin));
        CHECK(std::ranges::count(outcome.err, '\n') == 1);
    }
}

}  // namespace

TEST_CASE("a file that a spec names and that is missing is told with the spec, the field and the path") {
    const TemporaryFolder folder;
    folder.write("y.npy", npy_array("|u1", "3", "abc"));
    auto own = small_spec();
    const auto x = (folder / "x.npy").string();
    own["dataset"] = {{"name", "npy"}, {"images", x}, {"labels", "y.npy"}, {"test_fraction", 0.4}};
    const auto images = write_spec(folder, own, "images.json");
    own["dataset"]["images"] = "y.npy";
    own["dataset"]["labels"] = x;
    const auto labels = write_spec(folder, own, "labels.json");
    own["dataset"] = {{"name", "npy"}, {"inputs", {{"sky", x}}}, {"labels", "y.npy"}, {"test_fraction", 0.4}};
    const auto inputs = write_spec(folder, own, "inputs.json");
    auto calibrated = small_spec();
    calibrated["calibration"] = "none.json";
    const auto calibration = write_spec(folder, calibrated, "calibration.json");
    const auto sweep = write_spec(folder, {{"base", "none.json"}, {"grid", {{"seed", {1}}}}}, "sweep.json");
    const auto none = (folder / "none.json").string();
    check({{{"plan", images}, 66, images + ": $.dataset.images: " + x + ": No such file"},
           {{"run", images, "--dry-run"}, 66, images + ": $.dataset.images: " + x},
           {{"plan", labels}, 66, labels + ": $.dataset.labels: " + x},
           {{"plan", inputs}, 66, inputs + ": $.dataset.inputs.sky: " + x},
           {{"plan", calibration}, 66, calibration + ": $.calibration: " + none + ": No such file"},
           {{"sweep", sweep, "--list"}, 66, sweep + ": $.base: " + none + ": No such file"}});
    const auto error = json::parse(run_convoy({"plan", images, "--json"}).out).at("error");
    CHECK(error.at("file") == images);
    CHECK(error.at("field") == "$.dataset.images");
}

TEST_CASE("a wrong address, port, file or size is told with its option, before any work") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto none = (folder / "none").string();
    const auto in_none = none + "/file";
    check({{{"run", spec, "--await", "1", "--listen", "127.0.0.1:99999"}, 64, "--listen: '127.0.0.1:99999'"},
           {{"run", spec, "--await", "1", "--listen", "192.0.2.254"},
            69,
            "--listen: interface \"192.0.2.254\""},
           {{"run", spec, "--await", "1", "--token-file", none}, 66, "--token-file: " + none},
           {{"worker", "--join", "localhost", "--token-file", none}, 64, "--join: 'localhost'"},
           {{"worker", "--join", "localhost:77777", "--token-file", none}, 64, "--join: 'localhost:77777'"},
           {{"worker", "--join", "localhost:1", "--token-file", none}, 66, "--token-file: " + none},
           {{"worker", "--join", "localhost:1", "--interface", "no0"}, 69, "--interface: interface \"no0\""},
           {{"calibrate", spec, "--out", in_none}, 73, "--out: " + in_none + ": there is no folder " + none},
           {{"calibrate", spec, "--sizes", "x"}, 64, "--sizes: \"x\""},
           {{"bench", "allreduce", "--sizes", "x"}, 64, "--sizes: \"x\""},
           {{"evaluate", none, "--out", in_none}, 73, "--out: " + in_none + ": there is no folder " + none}});
}
