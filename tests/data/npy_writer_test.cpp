#include "data/npy_writer.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "data/array_file.hpp"
#include "data/npy_dataset.hpp"
#include "data/npy_files.hpp"
#include "data/spectra.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::vector<float> values_at(const Dataset& dataset, std::uint32_t index) {
    std::vector<float> values(static_cast<std::size_t>(dataset.example_shape().elements()));
    dataset.read(index, values);
    return values;
}

}  // namespace

TEST_CASE("a written header is NumPy's own, byte for byte") {
    const auto three = read_text(numpy_file("u1_4x2x3"));
    CHECK(three.substr(0, three.size() - 24) == npy_header(NpyType::u1, {4, 2, 3}));
    const auto one = read_text(numpy_file("i4_6"));
    CHECK(one.substr(0, one.size() - 24) == npy_header(NpyType::i4, {6}));
    const auto four = read_text(numpy_file("f4_2x2x2x3"));
    CHECK(four.substr(0, four.size() - 96) == npy_header(NpyType::f4, {2, 2, 2, 3}));
}

TEST_CASE("an array appears when it is whole, and takes no more elements than its shape has") {
    const TemporaryFolder folder;
    const auto file = folder / "x.npy";
    const std::vector<float> values{1, 2, 3};
    NpyWriter writer(file, NpyType::f4, {2, 3});
    writer.write(std::span<const float>(values));
    CHECK_THROWS_AS(writer.finish(), InternalError);
    CHECK_FALSE(exists(file));
    CHECK_THROWS_AS(writer.write(std::span<const double>(std::vector<double>{1})), InternalError);
    writer.write(std::span<const float>(values));
    CHECK_THROWS_AS(writer.write(std::span<const float>(values)), InternalError);
    writer.finish();
    CHECK(exists(file));
    CHECK(ArrayFile(file, false).form().shape == Shape{2, 3});
}

TEST_CASE("arrays of drawn spectra are read back as the same dataset, with the bins as a scale") {
    const TemporaryFolder folder;
    DatasetSpec drawn_spec{.name = "spectra", .train_examples = 7, .test_examples = 4};
    drawn_spec.spectra = SpectraSpec{.classes = 800, .signal_to_noise = 10.0};
    const auto drawn = load_dataset(drawn_spec, "/nowhere", 5, false);
    CHECK(write_arrays(drawn.train, folder.path(), "train") ==
          std::vector<std::string>{"train_images.npy", "train_labels.npy", "train_z.npy"});
    write_arrays(drawn.test, folder.path(), "test");
    DatasetSpec spec{.name = "npy", .train_examples = {}, .test_examples = {}};
    spec.npy = NpySpec{.inputs = {NpyInput{.files = {"train_images.npy"},
                                           .test_files = std::vector<std::string>{"test_images.npy"}}},
                       .labels = {"train_labels.npy"},
                       .test_labels = std::vector<std::string>{"test_labels.npy"},
                       .classes = 800,
                       .label_scale = redshift_scale(800)};
    const auto back = load_dataset(spec, folder.path(), 1, true);
    REQUIRE(back.train.size() == 7);
    REQUIRE(back.test.size() == 4);
    CHECK(back.train.example_shape() == drawn.train.example_shape());
    for (std::uint32_t i = 0; i < 7; ++i) {
        CHECK(values_at(back.train, i) == values_at(drawn.train, i));
        CHECK(back.train.labels()[i] == drawn.train.labels()[i]);
        CHECK(back.train.quantity(i) == Approx(drawn.train.quantity(i)).margin(0.0005));
    }
    CHECK(values_at(back.test, 3) == values_at(drawn.test, 3));
    const ArrayValues redshifts(
        [&] {
            std::vector<ArrayFile> files;
            files.emplace_back(folder / "test_z.npy", false);
            return files;
        }(),
        {});
    float z = 0.0F;
    redshifts.read(2, std::span(&z, 1));
    CHECK(z == static_cast<float>(spectrum_redshift(5, SpectraSplit::test, 2)));
}

TEST_CASE("each of several inputs has an array, and a quantity may not have the name of one") {
    const TemporaryFolder folder;
    DatasetSpec spec{.name = "drawn_landcover", .train_examples = 3, .test_examples = 2};
    const auto drawn = load_dataset(spec, "/nowhere", 5, false);
    CHECK(write_arrays(drawn.test, folder.path(), "test") ==
          std::vector<std::string>{"test_hyperspectral.npy", "test_lidar.npy", "test_labels.npy"});
    CHECK(ArrayFile(folder / "test_lidar.npy", false).form().shape == Shape{2, 21, 7, 7});
    const auto scaled = drawn.test.with_scale({.quantity = "labels"});
    CHECK_THROWS_WITH(write_arrays(scaled, folder.path(), "test"), Contains("labels has the name"));
}
