// Training on NPY files of the user's own, from the command line.

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "base/sha256.hpp"
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

TEST_CASE("a run tells the files of its data by their bytes") {
    const SmallData small;
    const auto of_known = json_of(small.run({{"name", "mnist"}}, "idx") / "environment.json").at("data");
    REQUIRE(of_known.size() == 4);
    const auto first = small.data / "mnist" / "train-images-idx3-ubyte";
    CHECK(of_known[0] == json{{"file", "mnist/train-images-idx3-ubyte"},
                              {"bytes", std::filesystem::file_size(first)},
                              {"sha256", sha256(text_of(first))}});
    const auto own = json_of(small.run(SmallData::npy(), "npy") / "environment.json").at("data");
    REQUIRE(own.size() == 4);
    CHECK(own[0].at("file") == (small.folder / "x.npy").string());
    CHECK(own[1].at("sha256") == sha256(text_of(small.folder / "test" / "x.npy")));
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

namespace {

/// Forty examples whose class neither of two inputs tells alone: a bright half of a patch, and the sign of a
/// row.
struct TwoInputs {
    TwoInputs() {
        std::string patches, rows, labels;
        for (int i = 0; i < 40; ++i) {
            const int left = i % 2;
            const int high = i / 2 % 2;
            for (int y = 0; y < 4; ++y) {
                for (int x = 0; x < 4; ++x)
                    patches += static_cast<char>((x < 2) == (left == 1) ? 200 + i : 3 * y + i);
            }
            for (int k = 0; k < 3; ++k) {
                const float value = (high == 1 ? 1.0F : -1.0F) + 0.01F * static_cast<float>(i * k);
                rows.append(reinterpret_cast<const char*>(&value), sizeof value);
            }
            labels += static_cast<char>(left + 2 * high);
        }
        folder.write("patch.npy", npy_array("|u1", "40, 4, 4", patches));
        folder.write("row.npy", npy_array("<f4", "40, 3", rows));
        folder.write("label.npy", npy_array("|u1", "40", labels));
        folder.write("short.npy", npy_array("<f4", "39, 3", rows.substr(12)));
    }
    static json spec(int node_count) {
        return {{"dataset",
                 {{"name", "npy"},
                  {"inputs", {{"patch", "patch.npy"}, {"row", {{"files", "row.npy"}, {"scale", 0.5}}}}},
                  {"labels", "label.npy"},
                  {"test_fraction", 0.2},
                  {"validation_fraction", 0.25}}},
                {"model",
                 {{"input", {{"patch", {1, 4, 4}}, {"row", {1, 1, 3}}}},
                  {"layers",
                   {{{"type", "conv2d"},
                     {"inputs", json::array({"patch"})},
                     {"filters", 6},
                     {"kernel", 3},
                     {"activation", "relu"}},
                    {{"type", "flatten"}},
                    {{"type", "dropout"}, {"rate", 0.1}},
                    {{"type", "flatten"}, {"inputs", json::array({"row"})}},
                    {{"type", "concat"}, {"inputs", {"dropout_1", "flatten_2"}}},
                    {{"type", "dense"}, {"units", 16}, {"activation", "relu"}},
                    {{"type", "dense"}, {"units", 4}, {"activation", "softmax"}}}}}},
                {"nodes", nodes(node_count)},
                {"batch_size", 8},
                {"epochs", 30},
                {"optimizer", {{"name", "sgd"}, {"learning_rate", 0.05}, {"momentum", 0.9}}}};
    }
    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("two processes learn from two inputs what neither tells alone", "[large]") {
    const TwoInputs two;
    const auto one_node = run_spec(two.folder, TwoInputs::spec(1), "one");
    const auto run = run_spec(two.folder, TwoInputs::spec(2), "two");
    check_same_losses(losses_of(one_node), losses_of(run), 10);
    const auto summary = json_of(run / "summary.json");
    CHECK(summary.at("nodes") == 2);
    CHECK(summary.at("final").at("train_accuracy") > 0.9);
    CHECK(summary.at("final").at("test_accuracy") > 0.7);
    std::set<std::string> operators;
    for (const auto& row : rows_of(run / "operators.csv"))
        operators.insert(row.at("operator").get<std::string>());
    CHECK(operators.contains("ConcatV2"));
    CHECK(operators.contains("Slice"));
    // On one thread: tsan sees none of the barriers behind which libgomp's threads copy for oneDNN.
    const auto evaluated = run_convoy({"evaluate", run.string(), "--threads", "1"});
    INFO(evaluated.err);
    CHECK(evaluated.code == 0);
    CHECK(rows_of(run / "predictions.csv").size() == 8);
    const auto planned = run_convoy({"plan", write_spec(two.folder, TwoInputs::spec(2), "plan.json")});
    CHECK_THAT(planned.out, Contains("Dataset patch:  -> patch[4x1x4x4]\n"));
    CHECK_THAT(planned.out, Contains("Dataset row:  -> row[4x1x1x3]\n"));
    CHECK_THAT(planned.out, Contains("Dataset labels:  -> labels[4]\n"));
    CHECK_THAT(planned.out, Contains("Dataset example numbers:  -> \n"));
    CHECK_THAT(planned.out, Contains("reads values, labels, example numbers\n"));
    CHECK_THAT(planned.out, Contains("dropout_1, flatten_2"));
}

TEST_CASE("two inputs go with micro-batches, every pipeline, plain kernels and nodes that train apart",
          "[large]") {
    const TwoInputs two;
    auto spec = TwoInputs::spec(1);
    spec["epochs"] = 2;
    spec["micro_batch_size"] = 2;
    spec["dataset"]["subtract_mean"] = true;
    const auto bits = [&](const std::string& out) {
        return text_of(run_spec(two.folder, spec, out) / "weights.safetensors");
    };
    const auto expected = bits("micro_one");
    spec["nodes"] = nodes(2);
    CHECK(bits("micro_two") == expected);
    spec["input_pipeline"] = {{"cache", false}, {"prefetch", 0}};
    CHECK(bits("from_files") == expected);
    spec["input_pipeline"] = {{"prepare", "ahead"}, {"store", "disk"}};
    CHECK(bits("prepared") == expected);
    spec["input_pipeline"] = {{"augmentation", {{"shift", 1}, {"flip", true}}}};
    CHECK(bits("augmented") != expected);

    spec = TwoInputs::spec(2);
    spec["epochs"] = 2;
    const auto fast = losses_of(run_spec(two.folder, spec, "fast"));
    spec["kernels"] = "xtensor";
    check_same_losses(losses_of(run_spec(two.folder, spec, "plain")), fast, 6);
    spec["strategy"] = "local_sgd";
    CHECK(json_of(run_spec(two.folder, spec, "apart") / "summary.json").at("status") == "done");
}

TEST_CASE("what is wrong with several inputs is one line that names both files, or the input") {
    const TwoInputs two;
    const auto refused = [&](const json& spec, const std::vector<std::string>& words) {
        for (const auto* command : {"plan", "run"}) {
            const auto outcome = run_convoy({command, write_spec(two.folder, spec)});
            CHECK(outcome.code == 65);
            CAPTURE(outcome.err);
            for (const auto& word : words) CHECK_THAT(outcome.err, Contains(word));
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        }
    };
    auto spec = TwoInputs::spec(2);
    spec["dataset"]["inputs"]["row"] = "short.npy";
    refused(spec, {"short.npy: 39 examples, but ", "label.npy holds 40 labels"});
    spec = TwoInputs::spec(2);
    spec["model"]["input"]["row"] = {1, 1, 4};
    refused(spec, {"takes patch 1x4x4, row 1x1x4, but the dataset's examples are patch 1x4x4, row 1x1x3"});
    spec = TwoInputs::spec(2);
    spec["model"]["layers"][3]["inputs"] = json::array({"rows"});
    refused(spec, {"$.model.layers[3].inputs: found \"rows\"", "\"patch\", \"row\""});
    spec = TwoInputs::spec(2);
    spec["model"]["layers"][4]["inputs"] = {"conv2d_1", "flatten_2"};
    refused(spec, {"$.model.layers[4] (concat_1): takes flat inputs, or inputs of one height and width"});
    spec = TwoInputs::spec(2);
    spec["model"] = "mnist_cnn";
    refused(
        spec,
        {"$.model.input: mnist_cnn takes 1x28x28, but the dataset's examples are patch 1x4x4, row 1x1x3"});
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

TEST_CASE(
    "training on an HDF5 file gives the bits of the data it was written from, and tells what decoding took") {
    const SmallData small;
    const auto idx = small.run({{"name", "mnist"}}, "idx");
    const json spec{{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}};
    const auto written =
        run_convoy({"dataset", "write", write_spec(small.folder, spec, "mnist.json"), "--out",
                    small.folder.path().string(), "--format", "hdf5", "--chunk", "3"},
                   {.data = small.data.path()});
    INFO(written.err);
    REQUIRE(written.code == 0);
    const json dataset{{"name", "hdf5"},
                       {"images", "data.h5:/train/images"},
                       {"labels", "data.h5:/train/labels"},
                       {"test_images", "data.h5:/test/images"},
                       {"test_labels", "data.h5:/test/labels"},
                       {"classes", 10}};
    const auto kept = small.run(dataset, "kept", {{"prefetch", 0}});
    const auto decoded = small.run(dataset, "decoded", {{"prefetch", 0}, {"cache", false}});
    CHECK(sha256_of_weights(kept) == sha256_of_weights(idx));
    CHECK(sha256_of_weights(decoded) == sha256_of_weights(idx));
    const auto calls_of_decoding = [](const std::filesystem::path& run) {
        std::int64_t calls = 0;
        const auto rows = rows_of(run / "operators.csv");
        for (const auto& row : rows)
            if (row.at("operator") == "_Decode" && row.at("phase") == "train")
                calls += std::stoll(row.at("calls").get<std::string>());
        return calls;
    };
    CHECK(calls_of_decoding(kept) == 0);
    CHECK(calls_of_decoding(decoded) == 2 * 5);  // two nodes, five steps
    // The file is named once, with its hash.
    const auto files = json_of(decoded / "environment.json").at("data");
    CHECK(files.size() == 1);
}
