#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "spec/minimal.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("own data files are those beside the spec, or else they keep their relative paths") {
    const TemporaryFolder folder;
    folder.write("specs/x.npy", "");
    const auto file = folder.write("specs/spec.json", R"({"model": "mnist_cnn", "dataset": {"name": "npy",
        "images": ["x.npy", "own/x.npy", "/x.npy"], "labels": "y.npy", "test_images": "../specs/x.npy"}})");
    const auto spec = load_spec(file);
    REQUIRE(spec.dataset.npy);
    const auto beside = (folder / "specs" / "x.npy").string();
    CHECK(spec.dataset.npy->inputs[0].files == std::vector<std::string>{beside, "own/x.npy", "/x.npy"});
    CHECK(spec.dataset.npy->labels == std::vector<std::string>{"y.npy"});
    CHECK(spec.dataset.npy->inputs[0].test_files == std::vector<std::string>{beside});
    CHECK_FALSE(spec.dataset.npy->test_labels);
    CHECK(parse_spec(to_json(spec)) == spec);
}

TEST_CASE("a path and a list of it mean the same, and only own data has files") {
    const json npy{{"name", "npy"}, {"images", "x.npy"}, {"labels", json::array({"y.npy"})}};
    auto list = npy;
    list["images"] = json::array({"x.npy"});
    CHECK(run_id(parse_spec(with("dataset", npy))) == run_id(parse_spec(with("dataset", list))));
    CHECK_FALSE(to_json(parse_spec(minimal)).at("dataset").contains("images"));
}

TEST_CASE("inputs have names, and files with all that is said of them") {
    const json named{{"name", "npy"},
                     {"inputs",
                      {{"row", {{"files", "m.npy"}, {"test_files", json::array({"t.npy"})}, {"scale", 2}}},
                       {"image", {"x0.npy", "x1.npy"}}}},
                     {"labels", "y.npy"}};
    const auto spec = parse_spec(with("dataset", named));
    REQUIRE(spec.dataset.npy);
    const auto& inputs = spec.dataset.npy->inputs;
    REQUIRE(inputs.size() == 2);
    CHECK(inputs[0] == NpyInput{.name = "image", .files = {"x0.npy", "x1.npy"}});
    CHECK(inputs[1] == NpyInput{.name = "row",
                                .files = {"m.npy"},
                                .test_files = std::vector<std::string>{"t.npy"},
                                .scale = 2.0});
    CHECK(parse_spec(to_json(spec)) == spec);

    auto one = named;
    one["inputs"] = {{"images", {{"files", "x.npy"}, {"layout", "nhwc"}}}};
    const json plain{{"name", "npy"}, {"images", "x.npy"}, {"layout", "nhwc"}, {"labels", "y.npy"}};
    CHECK(run_id(parse_spec(with("dataset", one))) == run_id(parse_spec(with("dataset", plain))));
    CHECK_FALSE(to_json(parse_spec(with("dataset", plain))).at("dataset").contains("inputs"));
    CHECK(run_id(parse_spec(with("dataset", named))) != run_id(parse_spec(with("dataset", plain))));
}

TEST_CASE(
    "spectra have fields of their own, and their templates are those beside the spec or in the data folder") {
    const TemporaryFolder folder;
    folder.write("specs/templates/flux.npy", "");
    const auto load = [&](const std::string& templates) {
        return load_spec(
            folder.write("specs/spec.json", R"({"model": "mnist_cnn", "dataset": {"name": "spectra",
            "classes": 800, "signal_to_noise": 3, "seed": 7, "template_dir": ")" +
                                                templates + R"("}})"));
    };
    const auto spec = load("templates");
    REQUIRE(spec.dataset.spectra);
    CHECK(*spec.dataset.spectra == SpectraSpec{.classes = 800,
                                               .signal_to_noise = 3.0,
                                               .template_dir = (folder / "specs" / "templates").string(),
                                               .seed = 7});
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(load("galaxy_templates").dataset.spectra->template_dir == "galaxy_templates");
    CHECK_FALSE(parse_spec(minimal).dataset.spectra);
}

TEST_CASE("a scale of labels changes the identity of own data, and its absence does not") {
    json npy{{"name", "npy"}, {"images", "x.npy"}, {"labels", "y.npy"}};
    const auto plain = parse_spec(with("dataset", npy));
    CHECK_FALSE(identifying_json(plain).at("dataset").contains("label_scale"));
    npy["label_scale"] = {{"quantity", "z"}, {"first", 1}, {"width", 0.01}};
    const auto scaled = parse_spec(with("dataset", npy));
    REQUIRE(scaled.dataset.npy);
    CHECK(scaled.dataset.npy->label_scale == LabelScale{.quantity = "z", .first = 1.0, .width = 0.01});
    CHECK(run_id(scaled) != run_id(plain));
    CHECK(parse_spec(to_json(scaled)) == scaled);
}
