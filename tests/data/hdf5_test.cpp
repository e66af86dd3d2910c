#include "data/hdf5_array.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "data/array_file.hpp"
#include "data/dataset.hpp"
#include "data/npy_files.hpp"
#include "data/temporary_folder.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// A byte of the first chunk of /train/images in read.h5: h5py's get_chunk_info(0).byte_offset, and 8 more.
constexpr std::size_t first_chunk_of_images = 4787 + 8;

/// A file that h5py made (make_hdf5.py).
std::filesystem::path h5py_file(const std::string& name) {
    return std::filesystem::path(CONVOY_HDF5_FILES) / (name + ".h5");
}

/// All elements of an array as examples of floats, one read for each example.
std::vector<float> elements(const std::string& name, bool in_memory) {
    std::vector<ArrayFile> files;
    files.emplace_back(Hdf5Array(h5py_file("read"), name), in_memory);
    const auto examples = static_cast<std::uint32_t>(files.front().size());
    const auto count = static_cast<std::size_t>(files.front().form().shape.elements());
    const ArrayValues values(std::move(files), {});
    std::vector<float> all(count);
    for (std::uint32_t i = 0; i < examples; ++i)
        values.read(i, std::span(all).subspan(i * (count / examples), count / examples));
    return all;
}

std::string refusal(const std::filesystem::path& file, const std::string& name) {
    try {
        const Hdf5Array array(file, name);
    } catch (const Error& error) {
        return error.what();
    }
    return "taken";
}

nlohmann::json spec_of(nlohmann::json dataset) {
    dataset["name"] = "hdf5";
    return {{"model", "mnist_cnn"}, {"dataset", std::move(dataset)}, {"batch_size", 2}};
}

}  // namespace

TEST_CASE("arrays that h5py wrote hold what it was given") {
    struct Case {
        std::string name;
        NpyType type;
        Shape shape;
        float first;
    };
    const std::vector<Case> cases{{"/train/images", NpyType::u1, {4, 2, 3}, 0},
                                  {"/i4", NpyType::i4, {6}, -3},
                                  {"/big_endian", NpyType::f4, {4, 5}, -3},
                                  {"/f8", NpyType::f8, {2, 3, 2, 2}, -3}};
    for (const auto& [name, type, shape, first] : cases) {
        INFO(name);
        const Hdf5Array array(h5py_file("read"), name);
        CHECK(array.form().type == type);
        CHECK(array.form().shape == shape);
        CHECK(array.name() == h5py_file("read").string() + ":" + name);
        std::vector<float> expected(static_cast<std::size_t>(shape.elements()));
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = first + static_cast<float>(i);
        CHECK(elements(name, true) == expected);
        CHECK(elements(name, false) == expected);
    }
    const auto labels = [](const char* name) {
        return read_labels({Hdf5Array(h5py_file("read"), name), false}, 2);
    };
    CHECK(labels("/train/labels") == std::vector<std::int32_t>{0, 2, 1, 0});
    CHECK(labels("/link") == labels("/train/labels"));
}

TEST_CASE("arrays of HDF5 that convoy does not read are refused with what they are") {
    const auto refused = [](const std::string& name) { return refusal(h5py_file("refused"), name); };
    for (const auto* name : {"/half", "/signed_bytes", "/text", "/compound"})
        CHECK_THAT(refused(name),
                   Contains("refused.h5:" + std::string(name) + ": found elements of another type"));
    CHECK_THAT(refused("/scalar"), Contains("found no array"));
    CHECK_THAT(refused("/empty"), Contains("found an array without elements"));
    CHECK_THAT(refused("/lzf"), Contains("its chunks need the filter 32000 (lzf)"));
    CHECK_THAT(refused("/huge_chunks"), Contains("found chunks of more than 1073741824 bytes"));
    CHECK_THAT(refused("/external"), Contains("its elements are in other files"));
    CHECK_THAT(refused("/virtual"), Contains("its elements are in other files"));
    CHECK_THAT(refused("/other_file"), Contains("refused.h5:/other_file: leads to another file"));
    CHECK_THAT(refused("/group"), Contains("refused.h5:/group: "));
    CHECK_THAT(refused("/unwritten"), Contains("only 0 of its 24 bytes were written"));
    CHECK_THAT(refused("/half_written"), Contains("only 2 of its 3 chunks were written"));
    CHECK_THAT(refused("/nothing"), Contains("refused.h5:/nothing: "));
    const TemporaryFolder folder;
    CHECK_THAT(refusal(folder / "none.h5", "/x"), Contains("none.h5: "));
    CHECK_THAT(refusal(folder.write("text.h5", "no HDF5"), "/x"), Contains("text.h5: "));
}

TEST_CASE("a chunk of an HDF5 file that is damaged is an error that names its rows") {
    const TemporaryFolder folder;
    auto bytes = read_text(h5py_file("read"));
    bytes.at(first_chunk_of_images) ^= 0x10;
    const Hdf5Array array(folder.write("damaged.h5", bytes), "/train/images");
    std::vector<std::uint8_t> read(24);
    std::string message;
    try {
        array.read_rows(0, 4, read);
    } catch (const DataError& error) {
        message = error.what();
    }
    CHECK_THAT(message, Contains("damaged.h5:/train/images: rows 0 to 3: "));
}

TEST_CASE("decoded chunks stay in memory where there is room for them") {
    const auto whole = read_text(h5py_file("read"));
    auto damaged = whole;
    damaged.at(first_chunk_of_images) ^= 0x10;
    const TemporaryFolder folder;
    const auto reads_damaged_chunk = [&](std::size_t chunk_cache_bytes) {
        const Hdf5Array array(folder.write("read.h5", whole), "/train/images", chunk_cache_bytes);
        std::vector<std::uint8_t> read(24);
        array.read_rows(0, 4, read);
        folder.write("read.h5", damaged);
        try {
            array.read_rows(0, 4, read);
        } catch (const DataError&) {
            return true;
        }
        return false;
    };
    CHECK_FALSE(reads_damaged_chunk(1U << 20U));
    CHECK(reads_damaged_chunk(0));
}

TEST_CASE("an HDF5 file that ends early is an error that names it") {
    const TemporaryFolder folder;
    const auto bytes = read_text(h5py_file("read"));
    for (const std::size_t part : {2U, 3U, 50U})
        CHECK_THAT(refusal(folder.write("cut.h5", bytes.substr(0, bytes.size() / part)), "/train/images"),
                   Contains("cut.h5"));
}

TEST_CASE("threads read one HDF5 file at the same time") {
    std::vector<ArrayFile> files;
    files.emplace_back(Hdf5Array(h5py_file("read"), "/f8"), false);
    const ArrayValues values(std::move(files), {});
    std::vector<std::vector<float>> read(4, std::vector<float>(12));
    {
        std::vector<std::jthread> threads;
        for (std::uint32_t i = 0; i < 4; ++i)
            threads.emplace_back([&values, &into = read[i], i] {
                for (int round = 0; round < 50; ++round) values.read(i % 2, into);
            });
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(read[i].back() == (i % 2 == 0 ? 8.0F : 20.0F));
}

TEST_CASE("a dataset of HDF5 files is split and read as one of NPY files") {
    const auto file = h5py_file("read").string();
    const auto spec = parse_spec(spec_of(
        {{"images", file + ":/train/images"}, {"labels", file + ":/train/labels"}, {"test_fraction", 0.25}}));
    REQUIRE(spec.dataset.npy);
    CHECK(spec.dataset.npy->format == ArrayFormat::hdf5);
    const auto info = dataset_info(spec.dataset, "");
    CHECK(info.name == "hdf5");
    CHECK(info.train_examples == 3);
    CHECK(info.classes == 3);
    for (const bool cache : {true, false}) {
        const auto splits = load_dataset(spec.dataset, "", 1, cache);
        CHECK(splits.train.example_shape() == Shape{1, 2, 3});
        CHECK(splits.train.size() + splits.test.size() == 4);
        std::vector<float> image(6);
        splits.test.read(0, image);
        CHECK(image[1] - image[0] == Approx(1.0 / 255.0));
        CHECK(splits.train.decodes() == !cache);
    }
}

TEST_CASE("the place of an HDF5 array has a file and a name") {
    CHECK(array_place("a:b/x.h5:/train/x", ArrayFormat::hdf5) ==
          ArrayPlace{.file = "a:b/x.h5", .name = "/train/x"});
    CHECK(array_place("x.npy:/y", ArrayFormat::npy) == ArrayPlace{.file = "x.npy:/y"});
    for (const auto* wrong : {"x.h5", "x.h5:y", ":/y", "x.h5:/"})
        CHECK_FALSE(array_place(wrong, ArrayFormat::hdf5));
    const auto refused = [](const char* images) {
        return spec_of({{"images", images}, {"labels", "y.h5:/y"}, {"test_fraction", 0.5}});
    };
    CHECK_THROWS_WITH(parse_spec(refused("x.h5")), Contains("$.dataset.images") && Contains("FILE:/NAME"));
    for (const auto* address : {"http://h/x.h5:/x", "http://h/x.h5", "x.h5://train/x"})
        CHECK_THROWS_WITH(parse_spec(refused(address)), Contains("$.dataset.images"));
    CHECK_NOTHROW(parse_spec(refused("x.h5:/x")));
}

TEST_CASE("an HDF5 file beside the spec is found there") {
    const TemporaryFolder folder;
    folder.write("x.h5", "");
    const auto file = folder.write(
        "spec.json", spec_of({{"images", "x.h5:/x"}, {"labels", "y.h5:/y"}, {"test_fraction", 0.5}}).dump());
    const auto spec = load_spec(file, {});
    CHECK(spec.dataset.npy->inputs[0].files == std::vector{(folder / "x.h5").string() + ":/x"});
    CHECK(spec.dataset.npy->labels == std::vector<std::string>{"y.h5:/y"});
    // Workers parse what the launcher sends.
    CHECK(parse_spec(to_json(spec)) == spec);
}
