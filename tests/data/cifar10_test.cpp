#include "data/cifar10.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <numeric>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "data/idx_files.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// A record with this label whose planes are filled with three values.
std::string record(char label, char red, char green, char blue) {
    return std::string(1, label) + std::string(1024, red) + std::string(1024, green) +
           std::string(1024, blue);
}

CifarRecords read(const std::string& content, std::int64_t records) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    CifarRecords into;
    read_cifar10(*memory_source("FILE", bytes), records, into);
    return into;
}

std::string whole_file(char label) {
    std::string content;
    for (std::int64_t i = 0; i < cifar10::records_per_file; ++i) content += record(label, 'r', 'g', 'b');
    return content;
}

}  // namespace

TEST_CASE("records of CIFAR-10 are read plane by plane") {
    const auto records = read(record(3, 'a', 'b', 'c') + record(9, 'd', 'e', 'f'), 2);
    CHECK(records.labels == std::vector<std::int32_t>{3, 9});
    REQUIRE(records.images.size() == 2 * cifar10::image_bytes);
    CHECK(records.images[0] == 'a');
    CHECK(records.images[1023] == 'a');
    CHECK(records.images[1024] == 'b');
    CHECK(records.images[3071] == 'c');
    CHECK(records.images[3072] == 'd');
    CHECK(records.images.back() == 'f');
}

TEST_CASE("CIFAR-10 files of another length, or with other labels, are refused with their name") {
    const auto two = record(0, 'a', 'b', 'c') + record(1, 'd', 'e', 'f');
    CHECK_THROWS_WITH(read(two, 3), Contains("FILE: truncated: record 2 has 0 of its 3073 bytes"));
    CHECK_THROWS_WITH(read(two.substr(0, 3080), 2),
                      Contains("FILE: truncated: record 1 has 7 of its 3073 bytes"));
    CHECK_THROWS_WITH(read(two, 1), Contains("FILE: bytes follow its 1 records of 3073 bytes"));
    CHECK_THROWS_WITH(read(record(10, 'a', 'b', 'c'), 1),
                      Contains("FILE: label 10 of record 0 is not one of the 10 classes 0 to 9"));
    CHECK_THROWS_AS(read("", 1), DataError);
}

TEST_CASE("CIFAR-10 is read from raw and gzipped files, as many as are needed") {
    const TemporaryFolder folder;
    DatasetSpec spec;
    spec.name = "cifar10";
    spec.train_examples = 10'001;
    spec.test_examples = 5;
    const auto load = [&](bool cache = true) { return load_dataset(spec, folder.path(), 1, cache); };
    CHECK_THROWS_WITH(load(), Contains("data_batch_1.bin: not there, nor data_batch_1.bin.gz, nor "
                                       "cifar-10-binary.tar.gz; `convoy dataset fetch cifar10` gets it"));
    CHECK_THROWS_AS(load(), MissingFileError);
    folder.write("cifar10/data_batch_1.bin", whole_file(1));
    folder.write("cifar10/data_batch_2.bin.gz", gzipped(whole_file(2)));
    folder.write("cifar10/test_batch.bin", whole_file(3));
    const auto splits = load();
    CHECK(splits.train.size() == 10'001);
    CHECK(splits.train.labels().front() == 1);
    CHECK(splits.train.labels().back() == 2);
    CHECK(splits.test.size() == 5);
    CHECK(splits.test.labels()[4] == 3);
    CHECK(splits.train.example_shape() == Shape{3, 32, 32});
    std::vector<float> image(cifar10::image_bytes);
    splits.train.read(10'000, image);
    CHECK(image[0] == Approx('r' / 255.0));
    CHECK(image[3071] == Approx('b' / 255.0));

    spec.subtract_mean = true;
    const auto centred = load();
    centred.test.read(0, image);
    CHECK(image[0] == Approx(0.0).margin(1e-6));
    CHECK(image[2000] == Approx(0.0).margin(1e-6));

    CHECK_THROWS_WITH(load(false), Contains("input_pipeline.cache"));
    folder.write("cifar10/data_batch_2.bin.gz", "damaged");
    CHECK_THROWS_WITH(load(), Contains("data_batch_2.bin.gz") && Contains("`convoy dataset verify cifar10`"));
}

TEST_CASE("an archive that is damaged, or holds something else, is refused with its name") {
    const TemporaryFolder folder;
    folder.write("cifar-10-binary.tar.gz", "no archive");
    CHECK_THROWS_WITH(read_cifar10_files(folder.path(), cifar10::test_files, 1),
                      Contains("cifar-10-binary.tar.gz"));
    folder.write("cifar-10-binary.tar.gz", gzipped(std::string(1024, '\0')));
    CHECK_THROWS_WITH(read_cifar10_files(folder.path(), cifar10::test_files, 1),
                      Contains("test_batch.bin: the archive holds no such file"));
    // The header of an empty file of that name, as GNU tar writes it, and the two blocks that end an archive.
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    put(0, "cifar-10-batches-bin/test_batch.bin");
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, "00000000005");
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    const auto sum = std::accumulate(header.begin(), header.end(), 0, [](int total, char byte) {
        return total + static_cast<unsigned char>(byte);
    });
    put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    folder.write("cifar-10-binary.tar.gz", gzipped(header + "abcde" + std::string(507 + 1024, '\0')));
    CHECK_THROWS_WITH(read_cifar10_files(folder.path(), cifar10::test_files, 1),
                      Contains("test_batch.bin: truncated: record 0 has 5 of its 3073 bytes"));
}

TEST_CASE("the real CIFAR-10 has 5,000 training and 1,000 test images of each class", "[real_data]") {
    const char* folder = std::getenv("CONVOY_DATA");
    INFO("CONVOY_DATA must name a folder that holds cifar10/ with the six files of CIFAR-10");
    REQUIRE(folder != nullptr);
    DatasetSpec spec;
    spec.name = "cifar10";
    const auto splits = load_dataset(spec, folder, 1, true);
    for (std::int32_t label = 0; label < 10; ++label) {
        CHECK(std::ranges::count(splits.train.labels(), label) == 5000);
        CHECK(std::ranges::count(splits.test.labels(), label) == 1000);
    }
}
