// Training on NPY files of the user's own, from the command line.

#include <catch2/catch.hpp>
#include <filesystem>

#include "data/idx_files.hpp"
#include "data/npy_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A small dataset in MNIST's files, and the same beside the spec as NPY files.
struct SmallData {
    SmallData() {
        write_small_dataset(data, "mnist", false);
        const auto copy = [&](const std::string& from, std::size_t header, const std::string& to,
                              const std::string& shape) {
            folder.write(to, npy_array("|u1", shape, text_of(data / "mnist" / from).substr(header)));
        };
        copy("train-images-idx3-ubyte", 16, "x.npy", "20, 28, 28");
        copy("train-labels-idx1-ubyte", 8, "y.npy", "20");
        copy("t10k-images-idx3-ubyte", 16, "test/x.npy", "6, 28, 28");
        copy("t10k-labels-idx1-ubyte", 8, "test/y.npy", "6");
    }
    [[nodiscard]] std::filesystem::path run(const json& dataset, const std::string& out,
                                            const json& pipeline = json::object()) const {
        auto spec = small_spec();
        spec["dataset"] = dataset;
        spec["input_pipeline"] = pipeline;
        spec["batch_size"] = 4;
        const auto outcome =
            run_convoy({"run", write_spec(folder, spec, out + ".json"), "--out", (folder / out).string()},
                       {.data = data.path()});
        INFO(outcome.err);
        REQUIRE(outcome.code == 0);
        return folder / out;
    }
    static json npy() {
        return {{"name", "npy"},
                {"images", "x.npy"},
                {"labels", "y.npy"},
                {"test_images", "test/x.npy"},
                {"test_labels", json::array({"test/y.npy"})},
                {"classes", 10}};
    }
    TemporaryFolder data, folder;
};

}  // namespace

TEST_CASE("training on NPY files beside the spec gives the bits that other files of the same images give") {
    const SmallData small;
    const auto idx = small.run({{"name", "mnist"}}, "idx");
    const auto npy = small.run(SmallData::npy(), "npy");
    CHECK(losses_of(npy) == losses_of(idx));
    CHECK(text_of(npy / "weights.safetensors") == text_of(idx / "weights.safetensors"));
    CHECK(json_of(npy / "summary.json").at("final") == json_of(idx / "summary.json").at("final"));
    // The resolved spec stands on its own: its paths are absolute.
    CHECK(json_of(npy / "spec.json").at("dataset").at("images") == json::array({small.folder / "x.npy"}));
    const auto evaluated = run_convoy({"evaluate", npy.string()}, {.data = small.data.path()});
    INFO(evaluated.err);
    CHECK(evaluated.code == 0);
    CHECK(rows_of(npy / "predictions.csv").size() == 6);
}

TEST_CASE("files that are read in turn train as one file in that order does") {
    const SmallData small;
    constexpr std::size_t image = 28 * 28;
    const auto images = text_of(small.folder / "x.npy");
    const auto labels = text_of(small.folder / "y.npy");
    const auto all_images = images.substr(images.size() - 20 * image);
    const auto all_labels = labels.substr(labels.size() - 20);
    small.folder.write("x0.npy", npy_array("|u1", "12, 28, 28", all_images.substr(0, 12 * image)));
    small.folder.write("x1.npy", npy_array("|u1", "8, 28, 28", all_images.substr(12 * image)));
    std::string images_in_turn, labels_in_turn;
    for (const std::size_t i : {0, 1, 2, 12, 13, 14, 3, 4, 5, 15, 16, 17, 6, 7, 8, 18, 19, 9, 10, 11}) {
        images_in_turn += all_images.substr(i * image, image);
        labels_in_turn += all_labels[i];
    }
    small.folder.write("turns.npy", npy_array("|u1", "20, 28, 28", images_in_turn));
    small.folder.write("turn_labels.npy", npy_array("|u1", "20", labels_in_turn));

    auto dataset = SmallData::npy();
    dataset["images"] = "turns.npy";
    dataset["labels"] = "turn_labels.npy";
    const auto one = small.run(dataset, "one");
    dataset["images"] = json::array({"x0.npy", "x1.npy"});
    dataset["labels"] = "y.npy";
    const json interleave{{"cycle_length", 2}, {"block_length", 3}};
    const auto several = small.run(dataset, "several", {{"interleave", interleave}});
    CHECK(losses_of(several) == losses_of(one));
    CHECK(text_of(several / "weights.safetensors") == text_of(one / "weights.safetensors"));
    const auto from_files = small.run(dataset, "uncached", {{"interleave", interleave}, {"cache", false}});
    CHECK(text_of(from_files / "weights.safetensors") == text_of(one / "weights.safetensors"));
    const auto behind = small.run(dataset, "behind");
    CHECK(losses_of(behind) != losses_of(one));
}

TEST_CASE("NPY files in the data folder leave the spec's paths, and so its identity, as they are") {
    const SmallData small;
    std::filesystem::create_directory(small.data / "own");
    for (const auto* name : {"x.npy", "y.npy"})
        std::filesystem::rename(small.folder / name, small.data / "own" / name);
    const auto run = small.run({{"name", "npy"},
                                {"images", "own/x.npy"},
                                {"labels", "own/y.npy"},
                                {"test_fraction", 0.2},
                                {"validation_fraction", 0.25},
                                {"classes", 10}},
                               "out");
    CHECK(json_of(run / "spec.json").at("dataset").at("images") == json::array({"own/x.npy"}));
    const auto steps = json_of(run / "summary.json").at("steps");
    CHECK(steps == 3);  // 20 less 4 tested and 4 validated on, by 4
}

TEST_CASE("what is wrong with NPY files is one line and the right code, before anything runs") {
    const SmallData small;
    auto spec = small_spec();
    spec["dataset"] = SmallData::npy();
    const auto refused = [&](int code, const std::vector<std::string>& words) {
        for (const auto* command : {"plan", "run"}) {
            const auto outcome =
                run_convoy({command, write_spec(small.folder, spec)}, {.data = small.data.path()});
            CHECK(outcome.code == code);
            CAPTURE(outcome.err);
            for (const auto& word : words) CHECK_THAT(outcome.err, Contains(word));
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        }
    };
    const auto size = std::filesystem::file_size(small.folder / "x.npy");
    std::filesystem::resize_file(small.folder / "x.npy", size - 1);
    refused(65, {"spec.json: ", "x.npy: ", "truncated or damaged"});
    std::filesystem::remove(small.folder / "x.npy");
    refused(66, {"x.npy: No such file", "beside the spec"});
    spec["dataset"].erase("images");
    refused(65, {"spec.json: $.dataset.images: missing, expected the path of a file or a list of"});
    spec = small_spec();
    spec["dataset"]["images"] = "x.npy";
    refused(65, {"$.dataset.images: unknown key"});
}
