#include "data/dataset.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/error.hpp"
#include "data/idx_files.hpp"
#include "data/synthetic_digits.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::vector<float> example(const Dataset& dataset, std::uint32_t index) {
    std::vector<float> values(static_cast<std::size_t>(dataset.example_shape().elements()));
    dataset.read(index, values);
    return values;
}

DatasetSpec spec_of(const std::string& name) {
    DatasetSpec spec;
    spec.name = name;
    return spec;
}

const std::string train_images = "mnist/train-images-idx3-ubyte";
const std::string train_labels = "mnist/train-labels-idx1-ubyte";

}  // namespace

TEST_CASE("a small IDX dataset is loaded the same from raw and gzipped files, cached or not") {
    const TemporaryFolder raw, packed;
    write_small_dataset(raw, "fashion_mnist", false);
    write_small_dataset(packed, "fashion_mnist", true);
    const auto expected = pattern(20 * 784);
    for (const auto& splits : {load_dataset(spec_of("fashion_mnist"), raw.path(), 1, true),
                               load_dataset(spec_of("fashion_mnist"), packed.path(), 1, true),
                               load_dataset(spec_of("fashion_mnist"), raw.path(), 1, false)}) {
        CHECK(splits.train.size() == 20);
        CHECK(splits.test.size() == 6);
        CHECK_FALSE(splits.validation);
        CHECK(splits.train.example_shape() == Shape{1, 28, 28});
        CHECK(splits.train.classes() == 10);
        for (const std::uint32_t index : {0U, 7U, 19U}) {
            CHECK(splits.train.labels()[index] == static_cast<std::int32_t>(index * 7 % 10));
            const auto values = example(splits.train, index);
            for (std::size_t i = 0; i < 784; ++i) {
                const auto byte = static_cast<std::uint8_t>(expected[index * 784 + i]);
                REQUIRE(values[i] == Approx(byte / 255.0).margin(1e-7));
            }
        }
    }
}

TEST_CASE("examples are taken from the front and validation from the end") {
    const TemporaryFolder folder;
    write_small_dataset(folder, "mnist", false);
    auto spec = spec_of("mnist");
    spec.train_examples = 10;
    spec.test_examples = 4;
    spec.validation_fraction = 0.3;
    const auto splits = load_dataset(spec, folder.path(), 1, true);
    const auto all = load_dataset(spec_of("mnist"), folder.path(), 1, true);
    CHECK(splits.train.size() == 7);
    REQUIRE(splits.validation);
    CHECK(splits.validation->size() == 3);
    CHECK(splits.test.size() == 4);
    CHECK(example(splits.train, 6) == example(all.train, 6));
    CHECK(example(*splits.validation, 0) == example(all.train, 7));
    CHECK(splits.validation->labels()[2] == all.train.labels()[9]);
    std::vector<float> values(784);
    CHECK_THROWS_AS(splits.validation->read(3, values), InternalError);
}

TEST_CASE("a wish for more examples than there are names its field") {
    const TemporaryFolder folder;
    write_small_dataset(folder, "mnist", false);
    const auto load = [&](auto change) {
        auto spec = spec_of("mnist");
        change(spec);
        return load_dataset(spec, folder.path(), 1, true);
    };
    CHECK_THROWS_WITH(load([](auto& spec) { spec.train_examples = 21; }),
                      "$.dataset.train_examples: 21 is not between 1 and the 20 examples that mnist has");
    CHECK_THROWS_WITH(load([](auto& spec) { spec.test_examples = 7; }), Contains("dataset.test_examples: 7"));
    CHECK_THROWS_WITH(load([](auto& spec) { spec.validation_fraction = 0.001; }),
                      Contains("$.dataset.validation_fraction: 0.001 of 20 training examples"));
    CHECK_THROWS_WITH(load([](auto& spec) { spec.validation_fraction = 0.99; }),
                      Contains("leaves 0 to train on"));
    CHECK_THROWS_WITH(
        load([](auto& spec) { spec.name = "imagenet"; }),
        Contains("dataset.name: \"imagenet\"") &&
            Contains("mnist, fashion_mnist, cifar10, synthetic_digits, spectra, drawn_landcover, npy"));
    CHECK_THROWS_AS(load([](auto& spec) { spec.name = "imagenet"; }), DataError);
}

TEST_CASE("files of a dataset that do not fit together are refused with the command that helps") {
    const TemporaryFolder folder;
    write_small_dataset(folder, "mnist", false);
    const auto load = [&](bool cache = true) {
        return load_dataset(spec_of("mnist"), folder.path(), 1, cache);
    };

    SECTION("a label that is no class") {
        folder.write(train_labels, idx_bytes({20}, std::string(19, '\x01') + "\x0A"));
        CHECK_THROWS_WITH(load(),
                          Contains("label 10 of example 19") && Contains("`convoy dataset verify mnist`"));
        CHECK_THROWS_AS(load(), DataError);
    }
    SECTION("fewer labels than images") {
        folder.write(train_labels, idx_bytes({19}, std::string(19, '\x01')));
        CHECK_THROWS_WITH(load(), Contains("20 images, but train-labels-idx1-ubyte has 19 labels"));
    }
    SECTION("images of another size") {
        folder.write(train_images, idx_bytes({20, 14, 56}, pattern(20 * 784)));
        CHECK_THROWS_WITH(load(), Contains("images of 14x56 where the dataset has 28x28"));
        CHECK_THROWS_WITH(load(false), Contains("images of 14x56"));
    }
    SECTION("a truncated file") {
        folder.write(train_images, idx_bytes({20, 28, 28}, pattern(20 * 784 - 1)));
        CHECK_THROWS_AS(load(), DataError);
        CHECK_THROWS_AS(load(false), DataError);
    }
    SECTION("a file with bytes behind its end") {
        folder.write(train_images, idx_bytes({20, 28, 28}, pattern(20 * 784 + 1)));
        CHECK_THROWS_WITH(load(), Contains("bytes follow"));
        CHECK_THROWS_WITH(load(false), Contains("15697 bytes where its header announces 15696"));
    }
    SECTION("a missing file") {
        std::filesystem::remove(folder.path() / train_images);
        CHECK_THROWS_AS(load(), MissingFileError);
        CHECK_THROWS_WITH(load(), Contains((folder.path() / train_images).string()) &&
                                      Contains("`convoy dataset fetch mnist`") && Contains("CONVOY_DATA"));
    }
    SECTION("gzipped images cannot be read from file for each batch") {
        std::filesystem::remove(folder.path() / train_images);
        folder.write(train_images + ".gz", gzipped(idx_bytes({20, 28, 28}, pattern(20 * 784))));
        CHECK_NOTHROW(load());
        CHECK_THROWS_WITH(load(false), Contains("input_pipeline.cache") && Contains("gunzip --keep"));
    }
    SECTION("a file that becomes shorter while it is used") {
        const auto splits = load(false);
        std::filesystem::resize_file(folder.path() / train_images, 100);
        CHECK_THROWS_WITH(example(splits.train, 5), Contains("became shorter"));
    }
}

TEST_CASE("synthetic digits have as many examples as the spec says") {
    auto spec = spec_of("synthetic_digits");
    CHECK(dataset_info(spec.name).generated);
    spec.train_examples = 50;
    spec.test_examples = 20;
    const auto kept = load_dataset(spec, "nowhere", 3, true);
    const auto drawn = load_dataset(spec, "nowhere", 3, false);
    CHECK(kept.train.size() == 50);
    CHECK(kept.test.size() == 20);
    CHECK(example(kept.train, 49) == example(drawn.train, 49));
    CHECK(example(kept.test, 3) == example(drawn.test, 3));
    CHECK(example(kept.train, 3) != example(kept.test, 3));
    spec.train_examples = 0;
    CHECK_THROWS_WITH(load_dataset(spec, "nowhere", 3, true), Contains("dataset.train_examples: 0"));
}

TEST_CASE("parts that are not wanted are neither kept nor read") {
    const TemporaryFolder folder;
    write_small_dataset(folder, "mnist", false);
    auto spec = spec_of("mnist");
    spec.validation_fraction = 0.25;
    spec.subtract_mean = true;
    const auto load = [&](const DataWanted& wanted, bool cache = true) {
        return load_dataset(spec, folder.path(), 1, cache, wanted);
    };
    const auto all = load({});
    std::filesystem::remove(folder.path() / train_images);
    for (const bool cache : {true, false}) {
        const auto labelled = load({.values = false}, cache);
        REQUIRE(labelled.validation);
        CHECK_FALSE(labelled.train.has_values());
        CHECK(std::ranges::equal(labelled.train.labels(), all.train.labels()));
        CHECK(std::ranges::equal(labelled.validation->labels(), all.validation->labels()));
        CHECK_THROWS_AS(example(labelled.train, 0), InternalError);
    }
    CHECK_THROWS_AS(load({.labels = false}), MissingFileError);
    write_small_dataset(folder, "mnist", false);
    std::filesystem::remove(folder.path() / train_labels);
    for (const bool cache : {true, false}) {
        const auto valued = load({.labels = false}, cache);
        CHECK_FALSE(valued.train.has_labels());
        CHECK(valued.train.labels().empty());
        CHECK(valued.train.size() == 15);
        CHECK(example(valued.train, 14) == example(all.train, 14));
        CHECK(example(valued.test, 2) == example(all.test, 2));
    }
    CHECK_THROWS_AS(load({.values = false}), MissingFileError);
}

TEST_CASE("drawn digits have the parts that are wanted") {
    const auto all = synthetic_digits(3, SyntheticSplit::train, 20, true);
    const auto labelled = synthetic_digits(3, SyntheticSplit::train, 20, true, {.values = false});
    CHECK_FALSE(labelled.has_values());
    CHECK(std::ranges::equal(labelled.labels(), all.labels()));
    const auto valued = synthetic_digits(3, SyntheticSplit::train, 20, false, {.labels = false});
    CHECK_FALSE(valued.has_labels());
    CHECK(valued.size() == 20);
    CHECK(example(valued, 19) == example(all, 19));
}

TEST_CASE("a dataset without a part is cut, selected and prepared like the whole") {
    const auto all = synthetic_digits(3, SyntheticSplit::train, 20, true);
    const auto labelled = all.only({.values = false}).slice(5, 10).select({9, 0, 4});
    CHECK(std::ranges::equal(labelled.labels(), all.slice(5, 10).select({9, 0, 4}).labels()));
    CHECK_FALSE(labelled.prepared(Prepare::ahead, PreparedStore::memory).has_values());
    const auto valued = all.only({.labels = false}).slice(5, 10).select({9, 0, 4});
    CHECK(valued.size() == 3);
    CHECK(example(valued.prepared(Prepare::ahead, PreparedStore::memory), 0) == example(all, 14));
    CHECK(valued.labels().empty());
}

TEST_CASE("the examples of IDX files are counted by their headers, or else as published") {
    const TemporaryFolder folder;
    const auto sizes = [&] {
        const auto info = dataset_info(spec_of("mnist"), folder.path());
        return std::pair(info.train_examples, info.test_examples);
    };
    CHECK(sizes() == std::pair<std::int64_t, std::int64_t>(60000, 10000));
    write_small_dataset(folder, "mnist", true);
    CHECK(sizes() == std::pair<std::int64_t, std::int64_t>(20, 6));
    std::filesystem::remove(folder.path() / (train_images + ".gz"));
    CHECK(sizes() == std::pair<std::int64_t, std::int64_t>(20, 6));
}

TEST_CASE("the real MNIST files are read", "[real_data]") {
    const char* folder = std::getenv("CONVOY_DATA");
    INFO("CONVOY_DATA must name a folder that holds mnist/ with the four files of MNIST");
    REQUIRE(folder != nullptr);
    const auto splits = load_dataset(spec_of("mnist"), folder, 1, true);
    CHECK(splits.train.size() == 60000);
    CHECK(splits.test.size() == 10000);
    const auto first = splits.train.labels().first(5);
    CHECK(std::vector<std::int32_t>(first.begin(), first.end()) == std::vector<std::int32_t>{5, 0, 4, 1, 9});
    double sum = 0.0;
    std::vector<float> values(784);
    for (std::uint32_t i = 0; i < 60000; ++i) {
        splits.train.read(i, values);
        sum = std::accumulate(values.begin(), values.end(), sum);
    }
    CHECK(sum / 60000 / 784 * 255 ==
          Approx(33.318).margin(0.001));  // the mean that is published for the training set
}
