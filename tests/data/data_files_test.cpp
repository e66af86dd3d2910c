#include "data/data_files.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;

namespace {

/// SHA-256 of "abc" and of the empty text, as FIPS 180-4 has them in its examples.
constexpr auto sha256_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto sha256_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

DatasetSpec known(const std::string& name) {
    return {.name = name, .train_examples = {}, .test_examples = {}};
}

DatasetSpec own(std::vector<std::string> images, std::vector<std::string> labels) {
    auto spec = known("npy");
    spec.npy = NpySpec{.inputs = {NpyInput{.files = std::move(images)}}, .labels = std::move(labels)};
    return spec;
}

std::vector<std::string> names(const std::vector<DataFile>& files) {
    std::vector<std::string> found;
    for (const auto& file : files) found.push_back(file.file);
    return found;
}

}  // namespace

TEST_CASE("files of data are told by their bytes") {
    const TemporaryFolder folder;
    folder.write("x.npy", "abc");
    folder.write("y.npy", "");
    CHECK(DataDigests().of(own({"x.npy"}, {"y.npy"}), folder.path()) ==
          std::vector<DataFile>{{.file = "x.npy", .bytes = 3, .sha256 = sha256_of_abc},
                                {.file = "y.npy", .bytes = 0, .sha256 = sha256_of_nothing}});
    folder.write("x.npy", "abd");
    CHECK(DataDigests().of(own({"x.npy"}, {"y.npy"}), folder.path()).front().sha256 != sha256_of_abc);
}

TEST_CASE("all files of own data are told, also the tests' and those outside the data folder") {
    const TemporaryFolder folder, elsewhere;
    for (const auto* name : {"a.npy", "b.npy", "t.npy", "ta.npy"}) folder.write(name, name);
    const auto labels = elsewhere.write("labels.npy", "labels");
    auto spec = own({"a.npy", "b.npy"}, {labels.string()});
    spec.npy->inputs.front().test_files = {"t.npy"};
    spec.npy->test_labels = {"ta.npy"};
    CHECK(names(DataDigests().of(spec, folder.path())) ==
          std::vector<std::string>{"a.npy", "b.npy", "t.npy", labels.string(), "ta.npy"});
}

TEST_CASE("files of a known dataset are told in the form that is read") {
    const TemporaryFolder folder;
    folder.write("mnist/train-images-idx3-ubyte", "abc");
    folder.write("mnist/train-images-idx3-ubyte.gz", "not read");
    folder.write("mnist/train-labels-idx1-ubyte.gz", "read");
    CHECK(names(DataDigests().of(known("mnist"), folder.path())) ==
          std::vector<std::string>{"mnist/train-images-idx3-ubyte", "mnist/train-labels-idx1-ubyte.gz"});
}

TEST_CASE("CIFAR-10 is told by its archive, unless all of its files are unpacked") {
    const TemporaryFolder folder;
    folder.write("cifar10/cifar-10-binary.tar.gz", "archive");
    folder.write("cifar10/data_batch_1.bin", "one");
    CHECK(names(DataDigests().of(known("cifar10"), folder.path())) ==
          std::vector<std::string>{"cifar10/data_batch_1.bin", "cifar10/cifar-10-binary.tar.gz"});
    for (const auto* name : {"data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"})
        folder.write("cifar10/" + std::string(name) + ".bin", name);
    CHECK(names(DataDigests().of(known("cifar10"), folder.path())).back() == "cifar10/test_batch.bin");
}

TEST_CASE("drawn examples have no files") {
    const TemporaryFolder folder;
    CHECK(DataDigests().of(known("synthetic_digits"), folder.path()).empty());
}

TEST_CASE("a folder in the place of a file of data is an error") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "x.npy");
    CHECK_THROWS_AS(DataDigests().of(own({"x.npy"}, {}), folder.path()), Error);
}

TEST_CASE("a file is hashed again once it has changed") {
    const TemporaryFolder folder;
    folder.write("x.npy", "abc");
    const auto spec = own({"x.npy"}, {});
    DataDigests digests;
    CHECK(digests.of(spec, folder.path()).front().sha256 == sha256_of_abc);
    CHECK(digests.of(spec, folder.path()).front().sha256 == sha256_of_abc);
    // A file with the same name and size, and the time of the one before.
    const auto time = std::filesystem::last_write_time(folder.path() / "x.npy");
    folder.write("new.npy", "abd");
    std::filesystem::last_write_time(folder.path() / "new.npy", time);
    std::filesystem::rename(folder.path() / "new.npy", folder.path() / "x.npy");
    CHECK(digests.of(spec, folder.path()) == DataDigests().of(spec, folder.path()));
    CHECK(digests.of(spec, folder.path()).front().sha256 != sha256_of_abc);
}

TEST_CASE("templates of drawn spectra are files of data") {
    const TemporaryFolder folder;
    folder.write("t/flux.npy", "abc");
    auto spec = known("spectra");
    spec.spectra.emplace();
    CHECK(DataDigests().of(spec, folder.path()).empty());
    spec.spectra->template_dir = "t";
    CHECK(names(DataDigests().of(spec, folder.path())) == std::vector<std::string>{"t/flux.npy"});
}
