#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "data/idx_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Runs a spec that must fail: with this code, one line on stderr that holds these words, and nothing left
/// behind.
void check_refused(const json& spec, int code, const std::vector<std::string>& words,
                   const ProcessSettings& settings = {}) {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, spec);
    const auto outcome = run_convoy({"run", file, "--out", (folder / "out").string()}, settings);
    CHECK(outcome.code == code);
    CAPTURE(outcome.err);
    for (const auto& word : words) CHECK_THAT(outcome.err, Contains(word));
    const auto last_line = outcome.err.rfind("convoy: ");
    REQUIRE(last_line != std::string::npos);
    CHECK(outcome.err.find('\n', last_line) == outcome.err.size() - 1);
    CHECK(folder.entries() == 1);  // the spec
}

/// A small dataset in MNIST's files, to be spoilt.
struct SmallMnist {
    SmallMnist() { write_small_dataset(folder, "mnist", false); }
    TemporaryFolder folder;
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder / "mnist" / name;
    }
    [[nodiscard]] ProcessSettings settings() const { return {.data = folder.path(), .most_file_bytes = 0}; }
    static json spec() {
        auto spec = small_spec();
        spec["dataset"] = {{"name", "mnist"}};
        spec["batch_size"] = 4;
        return spec;
    }
};

void overwrite(const std::filesystem::path& file, std::streamoff position, char byte) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(position);
    stream.put(byte);
}

}  // namespace

TEST_CASE("an empty path, as a script's unset variable is, is refused before anything is done") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    for (const auto& words : {std::vector<std::string>{"run", spec, "--out", ""},
                              std::vector<std::string>{"run", spec, "--data", ""}}) {
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == 64);
        CHECK(outcome.err == "convoy: " + words[2] + ": found nothing, expected a path\n");
    }
}

TEST_CASE("micro-batches and batch normalisation are refused together") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["micro_batch_size"] = 4;
    auto& layers = spec["model"]["layers"];
    layers.insert(layers.begin() + 1, json::parse(R"({"type": "batch_norm"})"));
    const auto outcome = run_convoy({"plan", write_spec(folder, spec, "spec.json")});
    CHECK(outcome.code == 65);
    CHECK(outcome.err.find("$.micro_batch_size: expected null") != std::string::npos);
}

TEST_CASE("an unknown key is refused") {
    auto spec = small_spec();
    spec["batch_sise"] = 3;
    check_refused(spec, 65, {"$.batch_sise", "batch_size"});
}

TEST_CASE("a field of the wrong type is refused") {
    auto spec = small_spec();
    spec["epochs"] = "many";
    check_refused(spec, 65, {"$.epochs", "many"});
}

TEST_CASE("a target on a split without examples is refused") {
    auto spec = small_spec();
    spec["target"] = {{"accuracy", 0.9}, {"split", "validation"}};
    check_refused(spec, 65, {"$.dataset.validation_fraction", "target"});
}

TEST_CASE("a batch smaller than the node count is refused") {
    auto spec = small_spec();
    spec["batch_size"] = 1;
    check_refused(spec, 65, {"$.batch_size"});
}

TEST_CASE("a dataset that is not there is named") {
    auto spec = small_spec();
    spec["dataset"] = {{"name", "mnist"}};
    const TemporaryFolder empty;
    check_refused(spec, 66, {"convoy dataset fetch mnist"}, {.data = empty.path(), .most_file_bytes = 0});
}

TEST_CASE("an unknown dataset and an unknown model are refused with those there are") {
    auto spec = small_spec();
    spec["dataset"] = {{"name", "mnits"}};
    check_refused(spec, 65, {"mnits", "mnist"});
    spec = small_spec();
    spec["model"] = "mnist_cmm";
    check_refused(spec, 65, {"mnist_cmm", "mnist_cnn"});
}

TEST_CASE("a truncated IDX file is refused") {
    const SmallMnist mnist;
    const auto file = mnist.file("train-images-idx3-ubyte");
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    check_refused(SmallMnist::spec(), 65, {"train-images-idx3-ubyte"}, mnist.settings());
}

TEST_CASE("a flipped bit in an IDX header is refused") {
    const SmallMnist mnist;
    overwrite(mnist.file("train-images-idx3-ubyte"), 2, 0x09);
    check_refused(SmallMnist::spec(), 65, {"train-images-idx3-ubyte"}, mnist.settings());
}

TEST_CASE("a label out of range is refused") {
    const SmallMnist mnist;
    overwrite(mnist.file("train-labels-idx1-ubyte"), 8 + 3, 10);
    check_refused(SmallMnist::spec(), 65, {"train-labels-idx1-ubyte", "10"}, mnist.settings());
}

TEST_CASE("a layer that does not fit its input is named") {
    auto spec = small_spec();
    spec["model"]["layers"][0]["kernel"] = 29;
    check_refused(spec, 65, {".json: $.model.layers[0]", "29"});
}

TEST_CASE("a network for other examples than the dataset's is refused") {
    auto spec = small_spec();
    spec["model"]["input"] = {3, 32, 32};
    check_refused(spec, 65, {"$.model.input", "3x32x32", "1x28x28"});
}

TEST_CASE("an output folder that exists is refused and left alone") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "out");
    std::ofstream(folder / "out" / "mine") << "mine";
    const auto file = write_spec(folder, small_spec());
    const auto outcome = run_convoy({"run", file, "--out", (folder / "out").string()});
    CHECK(outcome.code == 64);
    CHECK_THAT(outcome.err, Contains("out"));
    CHECK(text_of(folder / "out" / "mine") == "mine");
}

TEST_CASE("a full disk leaves nothing behind") {
    check_refused(small_spec(), 73, {"out"}, {.data = {}, .most_file_bytes = 2048});
}

TEST_CASE("a loss that is not a number ends the run") {
    auto spec = small_spec();
    // Linear layers only: nothing bounds what a step too long does to the next.
    spec["model"]["layers"] = json::parse(
        R"([{"type": "flatten"}, {"type": "dense", "units": 8}, {"type": "dense", "units": 10, "activation": "softmax"}])");
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 1e6}};
    check_refused(spec, 65, {"loss", "learning_rate"});
}

TEST_CASE("weights of another network are refused") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["max_steps"] = 0;
    const auto run = run_spec(folder, spec, "initial");
    spec["model"]["layers"][0]["filters"] = 8;
    spec["initial_weights"] = (run / "weights.safetensors").string();
    check_refused(spec, 65, {"weights.safetensors", "conv2d_1"});
}

TEST_CASE("a bad command line is code 64") {
    CHECK(run_convoy({}).code == 64);
    CHECK(run_convoy({"rum"}).code == 64);
    CHECK(run_convoy({"run"}).code == 64);
    CHECK(run_convoy({"run", "a.json", "--ser", "x=1"}).code == 64);
    CHECK(run_convoy({"--help"}).code == 0);
}

TEST_CASE("a spec that is not there is code 66") {
    CHECK(run_convoy({"run", "no-such-spec.json"}).code == 66);
}
