#include "dataset_command.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "data/array_file.hpp"
#include "data/http_server.hpp"
#include "data/spectra.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

int run(const std::vector<std::string>& arguments) {
    return dataset_command(arguments);
}

}  // namespace

TEST_CASE("convoy dataset: a wrong command line is a usage error") {
    for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                       {"verify"},
                                                                       {"fetch"},
                                                                       {"remove", "mnist"},
                                                                       {"list", "mnist"},
                                                                       {"list", "--dta", "x"},
                                                                       {"verify", "mnist", "more"},
                                                                       {"write", "--out", "x"},
                                                                       {"write", "spec.json"},
                                                                       {"verify", "mnist", "--data"}}) {
        CHECK_THROWS_AS(run(arguments), UsageError);
    }
    CHECK(run({"--help"}) == 0);
    CHECK_THROWS_AS(run({"verify", "imagenet"}), DataError);
}

TEST_CASE("convoy dataset: fetch, verify and list work on the data folder") {
    const EnvironmentVariable no_proxy("no_proxy", "*");
    const TemporaryFolder share, data;
    const HttpServer server(std::map<std::string, ServedFile>{{"/a.gz", {"content of a"}}});
    share.write(
        "datasets/mnist.json",
        R"({"name": "mnist", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name": "a.gz",)"
        R"( "sha256": ")" +
            sha256("content of a") + R"(", "mirrors": [")" + server.address("/a.gz") + R"("]}]})");
    share.write(
        "datasets/cifar10.json",
        R"({"name": "cifar10", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name":)"
        R"( "a.tar.gz", "md5": "900150983cd24fb0d6963f7d28e17f72", "mirrors": ["http://h/a"]}]})");
    share.write(
        "datasets/fashion_mnist.json",
        R"({"name": "fashion_mnist", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name":)"
        R"( "a.gz", "md5": "900150983cd24fb0d6963f7d28e17f72", "mirrors": [")" +
            server.address("/a.gz") + R"("]}]})");
    const EnvironmentVariable set("CONVOY_SHARE", share.path().c_str());
    const auto folder = data.path().string();

    CHECK_THROWS_AS(run({"verify", "mnist", "--data", folder}), MissingFileError);
    CHECK(run({"fetch", "mnist", "--data", folder}) == 0);
    CHECK(exists(data.path() / "mnist" / "a.gz"));
    CHECK(run({"verify", "mnist", "--data=" + folder}) == 0);
    CHECK(run({"list", "--data", folder}) == 0);
    CHECK_THROWS_AS(run({"fetch", "fashion_mnist", "--data", folder}), DataError);
    data.write("mnist/a.gz", "content of b");
    CHECK_THROWS_WITH(run({"verify", "mnist", "--data", folder}), Contains("is damaged"));
}

TEST_CASE("convoy dataset write puts the arrays of a spec into a folder") {
    const TemporaryFolder folder;
    const auto spec = folder.write("spec.json", R"({"dataset": {"name": "spectra", "train_examples": 8,
        "test_examples": 3, "validation_fraction": 0.25, "seed": 4}, "model": {"name": "redshift"}})");
    const auto out = folder / "made" / "arrays";
    REQUIRE(run({"write", spec.string(), "--out", out.string(), "--set", "dataset.classes=800"}) == 0);
    const auto count = [&](const std::string& name) {
        return ArrayFile(out / name, false).form().shape.text();
    };
    CHECK(count("train_images.npy") == "6x1x1x1780");
    CHECK(count("train_labels.npy") == "6");
    CHECK(count("train_z.npy") == "6");
    CHECK(count("validation_images.npy") == "2x1x1x1780");
    CHECK(count("test_images.npy") == "3x1x1x1780");
    const auto labels = read_labels(ArrayFile(out / "test_labels.npy", false), 799);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(labels[i] == spectrum_label(4, SpectraSplit::test, i, 800));
}

TEST_CASE("convoy dataset write puts all arrays of a spec into one HDF5 file") {
    const TemporaryFolder folder;
    const auto spec = folder.write("spec.json", R"({"dataset": {"name": "spectra", "train_examples": 8,
        "test_examples": 3, "validation_fraction": 0.25, "seed": 4}, "model": {"name": "redshift"}})");
    const auto out = folder / "arrays";
    const auto write = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"write",      spec.string(), "--out",
                                       out.string(), "--set",       "dataset.classes=800"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    REQUIRE(write({}) == 0);
    REQUIRE(write({"--format", "hdf5", "--chunk", "4", "--deflate", "1"}) == 0);
    const auto in_file = [&](const std::string& name) {
        return ArrayFile(Hdf5Array(out / "data.h5", name), false);
    };
    CHECK(in_file("/validation/images").form().shape == Shape{2, 1, 1, 1780});
    CHECK(in_file("/train/z").form().type == NpyType::f8);
    CHECK(read_labels(in_file("/train/labels"), 799) ==
          read_labels(ArrayFile(out / "train_labels.npy", false), 799));
    const auto example = [](ArrayFile file, std::uint32_t number) {
        std::vector<ArrayFile> files;
        files.push_back(std::move(file));
        std::vector<float> values(1780);
        ArrayValues(std::move(files), {}).read(number, values);
        return values;
    };
    for (std::uint32_t i = 0; i < 6; ++i)
        CHECK(example(in_file("/train/images"), i) == example(ArrayFile(out / "train_images.npy", false), i));
    const auto bytes_with = [&](const char* chunk, const char* deflate) {
        REQUIRE(write({"--format", "hdf5", "--chunk", chunk, "--deflate", deflate}) == 0);
        return std::filesystem::file_size(out / "data.h5");
    };
    CHECK(bytes_with("4", "9") < bytes_with("4", "0"));
    CHECK(std::filesystem::is_regular_file(out / "data.h5"));
    std::filesystem::create_symlink(out / "elsewhere", out / "data.h5.new");
    CHECK_THROWS_AS(write({"--format", "hdf5"}), OutputError);
    CHECK_FALSE(std::filesystem::exists(out / "elsewhere"));
    CHECK_THROWS_WITH(write({"--deflate", "1"}), Contains("--deflate: is for --format hdf5"));
    CHECK_THROWS_WITH(write({"--format", "hdf5", "--deflate", "10"}), Contains("expected 0 to 9"));
    CHECK_THROWS_WITH(write({"--format", "csv"}), Contains("expected npy or hdf5"));
}
