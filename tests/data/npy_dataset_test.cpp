#include "data/npy_dataset.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "data/npy_files.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// Ten images of 1x2 bytes in two files, sorted by class; those of number i are 2i and 2i + 1.
struct TenImages {
    TenImages() {
        std::string bytes(20, '\0');
        std::iota(bytes.begin(), bytes.end(), '\0');
        folder.write("own/a.npy", npy_array("|u1", "4, 1, 2", bytes.substr(0, 8)));
        folder.write("own/b.npy", npy_array("|u1", "6, 1, 2", bytes.substr(8)));
        folder.write("own/y.npy", npy_array("|u1", "10", std::string("\0\0\0\0\0\1\1\1\1\1", 10)));
        spec.name = "npy";
        spec.npy = NpySpec{
            .inputs = {{.files = {"own/a.npy", "own/b.npy"}}}, .labels = {"own/y.npy"}, .test_fraction = 0.3};
    }
    [[nodiscard]] DataSplits load(bool cache = true) const {
        return load_dataset(spec, folder.path(), 1, cache);
    }
    [[nodiscard]] std::string refusal() const {
        try {
            static_cast<void>(load());
        } catch (const Error& error) {
            CHECK_THROWS_WITH(dataset_info(spec, folder.path()), error.what());
            return error.what();
        }
        return "taken";
    }
    TemporaryFolder folder;
    DatasetSpec spec;
};

/// The number of each image, found by its first byte, whose label must be the right one.
std::vector<int> numbers(const Dataset& data, float scale = 255.0F) {
    std::vector<int> found;
    std::vector<float> image(2);
    for (std::uint32_t i = 0; i < data.size(); ++i) {
        data.read(i, image);
        const auto number = std::lround(image[0] * scale / 2.0F);
        CHECK(std::lround(image[1] * scale) == 2 * number + 1);
        CHECK(data.labels()[i] == (number < 5 ? 0 : 1));
        found.push_back(static_cast<int>(number));
    }
    return found;
}

}  // namespace

TEST_CASE("NPY files are one dataset that is split by a fraction") {
    TenImages ten;
    ten.spec.validation_fraction = 0.3;
    for (const bool cache : {true, false}) {
        const auto splits = ten.load(cache);
        CHECK(splits.train.example_shape() == Shape{1, 1, 2});
        CHECK(splits.train.classes() == 2);
        REQUIRE(splits.validation);
        auto all = numbers(splits.train);
        CHECK(all.size() == 5);
        CHECK(std::ranges::is_sorted(all));
        CHECK(numbers(*splits.validation).size() == 2);
        CHECK(numbers(splits.test).size() == 3);
        for (const auto& part : {numbers(*splits.validation), numbers(splits.test)})
            all.insert(all.end(), part.begin(), part.end());
        std::ranges::sort(all);
        CHECK(all == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }
    const auto info = dataset_info(ten.spec, ten.folder.path());
    CHECK(info.train_examples == 7);
    CHECK(info.test_examples == 3);
    CHECK(info.classes == 2);
    CHECK(info.example_shape == Shape{1, 1, 2});

    const auto before = numbers(ten.load().test);
    ten.spec.validation_fraction = 0.0;
    ten.spec.train_examples = 2;
    CHECK(numbers(ten.load().test) == before);
    CHECK(numbers(ten.load().train).size() == 2);
    ten.spec.npy->split_seed = 2;
    CHECK(numbers(ten.load().test) != before);
}

TEST_CASE("an NPY dataset without values or labels has the same examples in the same order") {
    TenImages ten;
    ten.spec.validation_fraction = 0.3;
    const auto all = ten.load();
    const InterleaveSpec turns{.cycle_length = 2, .block_length = 1};
    const auto load = [&](const DataWanted& wanted) {
        return load_dataset(ten.spec, ten.folder.path(), 1, true, wanted);
    };
    const auto labelled = load({.values = false});
    CHECK_FALSE(labelled.train.has_values());
    CHECK(std::ranges::equal(labelled.test.labels(), all.test.labels()));
    CHECK(std::ranges::equal(labelled.train.interleaved(turns).labels(),
                             all.train.interleaved(turns).labels()));
    const auto valued = load({.labels = false}).train;
    CHECK_FALSE(valued.has_labels());
    REQUIRE(valued.size() == all.train.size());
    std::vector<float> found(2), expected(2);
    for (std::uint32_t i = 0; i < valued.size(); ++i) {
        valued.interleaved(turns).read(i, found);
        all.train.interleaved(turns).read(i, expected);
        CHECK(found == expected);
    }
}

TEST_CASE("NPY files are split by file, scaled, and have as many classes as they are given") {
    TenImages ten;
    auto& npy = *ten.spec.npy;
    npy.test_fraction.reset();
    npy.inputs[0].files = {"own/b.npy"};
    npy.labels = {ten.folder
                      .write("absolute.npy", npy_array("<i4", "6",
                                                       std::string("\0\0\0\0\1\0\0\0\1\0\0\0"
                                                                   "\1\0\0\0\1\0\0\0\1\0\0\0",
                                                                   24)))
                      .string()};
    npy.inputs[0].test_files = {"own/a.npy"};
    npy.test_labels = {ten.folder.write("four.npy", npy_array("|u1", "4", std::string(4, '\0'))).string()};
    npy.inputs[0].scale = 1.0;
    npy.classes = 7;
    const auto splits = ten.load();
    CHECK(numbers(splits.train, 1.0F) == std::vector<int>{4, 5, 6, 7, 8, 9});
    CHECK(numbers(splits.test, 1.0F) == std::vector<int>{0, 1, 2, 3});
    CHECK(splits.test.classes() == 7);
    npy.classes.reset();
    CHECK(ten.load().test.classes() == 2);
    ten.spec.subtract_mean = true;
    std::vector<float> image(2);
    ten.load().train.read(0, image);
    CHECK(image[0] == Approx(8.0 - 13.0));
}

TEST_CASE("arrays of one to four dimensions become images of C, H, W") {
    TenImages ten;
    const auto shape_of = [&](const std::string& file, ImageLayout layout, std::int64_t examples) {
        auto& npy = *ten.spec.npy;
        npy.inputs[0].files = {numpy_file(file).string()};
        npy.labels = {
            ten.folder
                .write("labels.npy", npy_array("|u1", std::to_string(examples),
                                               std::string(static_cast<std::size_t>(examples), '\0')))
                .string()};
        npy.inputs[0].layout = layout;
        return ten.load().train.example_shape();
    };
    using enum ImageLayout;
    CHECK(shape_of("i4_6", channels_first, 6) == Shape{1, 1, 1});
    CHECK(shape_of("f4_4x5", channels_last, 4) == Shape{1, 1, 5});
    CHECK(shape_of("u1_4x2x3", channels_last, 4) == Shape{1, 2, 3});
    CHECK(shape_of("u1_4x2x3", sequence_channels_first, 4) == Shape{2, 1, 3});
    CHECK(shape_of("u1_4x2x3", sequence_channels_last, 4) == Shape{3, 1, 2});
    const auto first_with = [&](ImageLayout layout) {
        shape_of("u1_4x2x3", layout, 4);
        std::vector<float> values(6);
        ten.load().train.read(0, values);
        return values;
    };
    const auto rows = first_with(sequence_channels_first);
    const auto columns = first_with(sequence_channels_last);
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            CHECK(columns[column * 2 + row] == rows[row * 3 + column]);
    CHECK(columns != rows);
    CHECK_THROWS_WITH(shape_of("f4_4x5", sequence_channels_first, 4),
                      Contains("found an array of 4x5, expected 3 dimensions for the layout of sequences"));
    ten.spec.npy->test_fraction = 0.5;
    CHECK(shape_of("f8_2x3x2x2", channels_first, 2) == Shape{3, 2, 2});
    CHECK(shape_of("f4_2x2x2x3", channels_last, 2) == Shape{3, 2, 2});
    CHECK_THROWS_WITH(shape_of("five_dimensions", channels_first, 2),
                      Contains("found an array of 2x1x1x1x1, expected 1 to 4 dimensions"));
}

TEST_CASE("NPY datasets that do not fit together are refused, also when they are only looked at") {
    TenImages ten;
    auto& npy = *ten.spec.npy;
    const auto good = npy;
    npy.test_fraction.reset();
    CHECK_THAT(ten.refusal(), Contains("$.dataset.test_fraction: expected either this, or both test_images"));
    npy.inputs[0].test_files = {"own/a.npy"};
    CHECK_THAT(ten.refusal(), Contains("$.dataset.test_fraction"));
    npy.test_labels = {"own/y.npy"};
    CHECK_THAT(ten.refusal(), Contains("a.npy: 4 examples, but own/y.npy holds 10 labels"));
    npy.test_fraction = 0.3;
    CHECK_THAT(ten.refusal(), Contains("$.dataset.test_fraction"));
    npy = good;
    npy.test_fraction = 0.01;
    CHECK_THAT(ten.refusal(), Contains("0.01 of 10 examples leaves 10 to train on and 0 to test on"));
    npy = good;
    npy.inputs[0].files = {"own/b.npy"};
    CHECK_THAT(ten.refusal(), Contains("b.npy: 6 examples, but own/y.npy holds 10 labels"));
    npy = good;
    npy.inputs[0].files[1] = numpy_file("i4_6").string();
    CHECK_THAT(ten.refusal(),
               Contains("i4_6.npy: found examples of scalar of '<i4', expected 1x2 of '|u1' as in"));
    npy = good;
    npy.classes = 1;
    CHECK_THAT(ten.refusal(), Contains("y.npy: found label 1 of example 5, expected one in 0 to 0"));
    npy = good;
    npy.labels = {"own/none.npy"};
    CHECK_THAT(ten.refusal(),
               Contains("own/none.npy: No such file or directory; a relative path is looked for"));
    CHECK_THROWS_AS(ten.load(), MissingFileError);
    npy = good;
    ten.spec.test_examples = 4;
    CHECK_THROWS_WITH(ten.load(),
                      Contains("dataset.test_examples: 4 is not between 1 and the 3 examples that npy has"));
    ten.spec.npy.reset();
    CHECK_THAT(ten.refusal(), Contains("$.dataset.images: missing"));
}

namespace {

/// Ten examples of two inputs: number i is the bytes 2i, 2i + 1 of a patch, in two files, and the floats i,
/// -i, 10 i of a row, in three.
struct TenPairs : TenImages {
    TenPairs() {
        const auto row_file = [&](const std::string& name, int first, int count) {
            std::string bytes;
            for (int i = first; i < first + count; ++i) {
                const auto number = static_cast<float>(i);
                for (const float value : {number, -number, 10.0F * number})
                    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
            }
            folder.write(name, npy_array("<f4", std::to_string(count) + ", 3", bytes));
        };
        row_file("own/r0.npy", 0, 3);
        row_file("own/r1.npy", 3, 3);
        row_file("own/r2.npy", 6, 4);
        spec.npy->inputs = {
            {.name = "patch", .files = {"own/a.npy", "own/b.npy"}},
            {.name = "row", .files = {"own/r0.npy", "own/r1.npy", "own/r2.npy"}, .scale = 0.5}};
    }
};

/// The number of each example, which both inputs and the label must tell.
std::vector<int> numbers_of_pairs(const Dataset& data) {
    std::vector<int> found;
    std::vector<float> example(5);
    for (std::uint32_t i = 0; i < data.size(); ++i) {
        data.read(i, example);
        const auto number = std::lround(example[0] * 255.0F / 2.0F);
        CHECK(std::lround(example[1] * 255.0F) == 2 * number + 1);
        CHECK(example[2] == 0.5F * static_cast<float>(number));
        CHECK(example[3] == -0.5F * static_cast<float>(number));
        CHECK(example[4] == 5.0F * static_cast<float>(number));
        CHECK(data.labels()[i] == (number < 5 ? 0 : 1));
        found.push_back(static_cast<int>(number));
    }
    return found;
}

}  // namespace

TEST_CASE("several inputs stay together, however they are cut, split, kept and put in order") {
    TenPairs ten;
    ten.spec.validation_fraction = 0.3;
    const ExampleShape both(std::vector<Input>{{"patch", {1, 1, 2}}, {"row", {1, 1, 3}}});
    CHECK(dataset_info(ten.spec, ten.folder.path()).example_shape == both);
    for (const bool cache : {true, false}) {
        const auto splits = ten.load(cache);
        CHECK(splits.train.example_shape() == both);
        auto all = numbers_of_pairs(splits.train);
        CHECK(all.size() == 5);
        for (const auto& part : {numbers_of_pairs(*splits.validation), numbers_of_pairs(splits.test)})
            all.insert(all.end(), part.begin(), part.end());
        std::ranges::sort(all);
        CHECK(all == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        for (const auto when : {Prepare::ahead, Prepare::first_epoch}) {
            const auto prepared = splits.train.prepared(when, PreparedStore::memory);
            CHECK(numbers_of_pairs(prepared) == numbers_of_pairs(splits.train));
            CHECK(numbers_of_pairs(prepared) == numbers_of_pairs(splits.train));
        }
    }
}

TEST_CASE("several inputs are split by file, and read in turn by the files of the one that has most") {
    TenPairs ten;
    auto& npy = *ten.spec.npy;
    npy.test_fraction.reset();
    npy.test_labels = npy.labels;
    for (auto& input : npy.inputs) input.test_files = input.files;
    const auto splits = ten.load();
    CHECK(numbers_of_pairs(splits.test) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(splits.train.file_sizes() == std::vector<std::int64_t>{3, 3, 4});
    CHECK(numbers_of_pairs(splits.train.interleaved({.cycle_length = 3, .block_length = 1})) ==
          std::vector<int>{0, 3, 6, 1, 4, 7, 2, 5, 8, 9});
}

TEST_CASE("each input has a mean of its own") {
    TenPairs ten;
    ten.spec.subtract_mean = true;
    const auto train = ten.load().train;
    const auto mean = train.mean();
    REQUIRE(mean.size() == 5);
    for (const auto value : mean) CHECK(std::abs(value) < 1e-5F);
}

TEST_CASE("inputs that do not fit together are refused, and both files are named") {
    TenPairs ten;
    auto& npy = *ten.spec.npy;
    const auto good = npy;
    npy.inputs[1].files.pop_back();
    CHECK_THAT(ten.refusal(),
               Contains("r0.npy and those behind it: 6 examples, but own/y.npy holds 10 labels"));
    npy = good;
    npy.inputs[1].files = {"own/r2.npy"};
    CHECK_THAT(ten.refusal(), Contains("r2.npy: 4 examples, but own/y.npy holds 10 labels"));
    npy = good;
    npy.inputs[0].files[1] = "own/r1.npy";
    CHECK_THAT(ten.refusal(), Contains("examples"));
    npy = good;
    npy.test_fraction.reset();
    npy.test_labels = npy.labels;
    npy.inputs[0].test_files = npy.inputs[0].files;
    CHECK_THAT(ten.refusal(), Contains("either this, or both the test_files of every input and test_labels"));
    npy.inputs[1].test_files = npy.inputs[0].files;
    CHECK_THAT(ten.refusal(), Contains("a.npy: found examples of 1x2 of '|u1', expected 3 of '<f4' as in"));
}
