#include "data/interleave.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "data/npy_files.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// Which file each example is from, as digits from 1; each file's examples must come in order.
std::string files_in_order(const std::vector<std::int64_t>& lengths, std::int64_t cycle, std::int64_t block) {
    const auto order = interleaved_order(lengths, {.cycle_length = cycle, .block_length = block});
    std::vector<std::int64_t> taken(lengths.size(), 0);
    std::string files;
    for (const auto example : order) {
        std::int64_t first = 0;
        std::size_t file = 0;
        while (example >= first + lengths[file]) first += lengths[file++];
        CHECK(example == first + taken[file]++);
        files += static_cast<char>('1' + file);
    }
    CHECK(taken == lengths);
    return files;
}

}  // namespace

TEST_CASE("examples are interleaved as tf.data's documentation has it") {
    // https://www.tensorflow.org/api_docs/python/tf/data/Dataset#interleave
    CHECK(files_in_order({6, 6, 6, 6, 6}, 2, 4) ==
          "1111"
          "2222"
          "11"
          "22"
          "3333"
          "4444"
          "33"
          "44"
          "5555"
          "55");
    CHECK(files_in_order({3, 3, 3, 3, 3}, 4, 2) == "112233441234555");
    CHECK(files_in_order({5, 5, 5}, 3, 2) == "112233112233123");
}

TEST_CASE("a file whose end is that of its turn passes its next turn") {
    // The kernel finds the end only when it asks again, and then goes to the next place.
    CHECK(files_in_order({4, 8, 4}, 2, 4) == "1111222222223333");
    CHECK(files_in_order({3, 8, 4}, 2, 4) == "111222233332222");
}

TEST_CASE("a cycle of one reads file after file, and so does a block longer than any file in a short cycle") {
    CHECK(files_in_order({2, 3, 1}, 1, 1) == "112223");
    CHECK(files_in_order({2, 3, 1}, 1, 100) == "112223");
    CHECK(files_in_order({2, 3, 1}, 2, 100) == "112223");
    CHECK(files_in_order({2, 3, 1}, 1000, 1) == "123122");
    CHECK(files_in_order({4}, 3, 2) == "1111");
    CHECK(files_in_order({}, 3, 2).empty());
}

TEST_CASE("files are read in turn, and each example keeps its values and its label") {
    const TemporaryFolder folder;
    folder.write("a.npy", npy_array("|u1", "4", std::string("\1\2\3\4", 4)));
    folder.write("b.npy", npy_array("|u1", "2", std::string("\5\6", 2)));
    folder.write("y.npy", npy_array("|u1", "6", std::string("\1\2\3\4\5\6", 6)));
    DatasetSpec spec;
    spec.name = "npy";
    spec.npy = NpySpec{.inputs = {{.files = {"a.npy", "b.npy"},
                                   .test_files = std::vector<std::string>{"b.npy"},
                                   .scale = 1.0}},
                       .labels = {"y.npy"},
                       .test_labels = std::vector<std::string>{"b.npy"}};
    const auto values = [](const Dataset& data) {
        std::vector<int> found;
        std::vector<float> value(1);
        for (std::uint32_t i = 0; i < data.size(); ++i) {
            data.read(i, value);
            CHECK(data.labels()[i] == static_cast<int>(value[0]));
            found.push_back(static_cast<int>(value[0]));
        }
        return found;
    };
    const auto train = load_dataset(spec, folder.path(), 1, true).train;
    CHECK(train.file_sizes() == std::vector<std::int64_t>{4, 2});
    CHECK(values(train.interleaved({.cycle_length = 2, .block_length = 1})) ==
          std::vector<int>{1, 5, 2, 6, 3, 4});
    CHECK(values(train.interleaved({.cycle_length = 1, .block_length = 1})) ==
          std::vector<int>{1, 2, 3, 4, 5, 6});
    CHECK(train.slice(2, 4).file_sizes() == std::vector<std::int64_t>{2, 2});
    CHECK(values(train.slice(2, 4).interleaved({.cycle_length = 2, .block_length = 1})) ==
          std::vector<int>{3, 5, 4, 6});
    CHECK(train.select({0, 3, 4, 1, 5}).file_sizes() == std::vector<std::int64_t>{2, 1, 1, 1});

    // What is validated on is the same, and stays where it was.
    spec.validation_fraction = 0.34;
    const auto splits = load_dataset(spec, folder.path(), 1, true);
    REQUIRE(splits.validation);
    auto all = values(splits.train.interleaved({.cycle_length = 2, .block_length = 1}));
    const auto held = values(*splits.validation);
    CHECK(held.size() == 2);
    all.insert(all.end(), held.begin(), held.end());
    std::ranges::sort(all);
    CHECK(all == std::vector<int>{1, 2, 3, 4, 5, 6});
}
