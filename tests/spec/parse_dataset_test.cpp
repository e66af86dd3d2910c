#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "spec/minimal.hpp"
#include "spec/run_identity.hpp"

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

TEST_CASE("an address is a scheme and what follows it") {
    for (const auto* address : {"http://h/x", "webhdfs://h:1/x", "a+b-c.9://x", "X://"})
        CHECK(is_address(address));
    for (const auto* path : {"", "x.npy", "/http://h/x", "://x", "9p://x", "a b://x", "http:/x", "dir/a://x"})
        CHECK_FALSE(is_address(path));
}

TEST_CASE("addresses of own data stay as they are, and only their hashes belong to the run's identity") {
    const TemporaryFolder folder;
    const std::string hash = "#sha256=" + std::string(64, 'a');
    folder.write("http:/h/x.npy" + hash, "");  // what the address would be, read as a path
    const auto file = folder.write(
        "spec.json",
        json{{"model", "mnist_cnn"},
             {"dataset", {{"name", "npy"}, {"images", "http://h/x.npy" + hash}, {"labels", "y.npy"}}}}
            .dump());
    const auto spec = load_spec(file);
    REQUIRE(spec.dataset.npy);
    CHECK(spec.dataset.npy->inputs[0].files == std::vector<std::string>{"http://h/x.npy" + hash});
    CHECK(spec.dataset.has_addresses());
    CHECK(parse_spec(to_json(spec)) == spec);

    const auto id_with = [](const std::string& images) {
        return run_id(
            parse_spec(with("dataset", {{"name", "npy"}, {"images", images}, {"labels", "y.npy"}})));
    };
    CHECK(id_with("http://h/x.npy" + hash) == id_with("webhdfs://other/y?user.name=lab" + hash));
    CHECK(id_with("http://h/x.npy" + hash) != id_with("http://h/x.npy#sha256=" + std::string(64, 'b')));
    CHECK(id_with("http://h/x.npy" + hash) != id_with("x.npy"));
}

TEST_CASE("a known dataset may have a source, which is not in the run's identity") {
    const json plain{{"name", "mnist"}};
    const json with_source{{"name", "mnist"}, {"source", "webhdfs://h:9870/mnist"}};
    const auto spec = parse_spec(with("dataset", with_source));
    CHECK(spec.dataset.source == "webhdfs://h:9870/mnist");
    CHECK(spec.dataset.has_addresses());
    CHECK_FALSE(parse_spec(with("dataset", plain)).dataset.has_addresses());
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(run_id(spec) == run_id(parse_spec(with("dataset", plain))));
    for (const json& wrong : {json("datasets/mnist"), json(3), json("http://" + std::string(2048, 'x'))}) {
        auto dataset = with_source;
        dataset["source"] = wrong;
        CHECK_THROWS_WITH(parse_spec(with("dataset", dataset)),
                          Catch::Contains("$.dataset.source: found ") &&
                              Catch::Contains("expected the address of a folder"));
    }
    CHECK_THROWS_WITH(parse_spec(with("dataset", {{"name", "spectra"}, {"source", "http://h/x"}})),
                      Catch::Contains("source"));
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
