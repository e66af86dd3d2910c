#include "data/npy.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "data/array_file.hpp"
#include "data/npy_files.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

NpyHeader header_of(const std::string& content) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    return read_npy_header(*memory_source("FILE", bytes));
}

/// All elements of a file as one example of floats, in the file's order.
std::vector<float> elements(const std::string& name, bool in_memory) {
    std::vector<ArrayFile> files;
    files.emplace_back(numpy_file(name), in_memory);
    const auto examples = static_cast<std::uint32_t>(files.front().size());
    const auto count = static_cast<std::size_t>(files.front().form().shape.elements());
    const ArrayValues values(std::move(files), {});
    std::vector<float> all(count);
    for (std::uint32_t i = 0; i < examples; ++i)
        values.read(i, std::span(all).subspan(i * (count / examples), count / examples));
    return all;
}

std::vector<float> counted_from(float first, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
    return values;
}

std::string refusal(const std::string& content) {
    try {
        header_of(content);
    } catch (const DataError& error) {
        return error.what();
    }
    return "taken";
}

}  // namespace

TEST_CASE("NPY files that NumPy wrote hold what NumPy was given") {
    struct Case {
        std::string name;
        NpyType type;
        Shape shape;
        float first;
    };
    const std::vector<Case> cases{{"u1_4x2x3", NpyType::u1, {4, 2, 3}, 0},
                                  {"i4_6", NpyType::i4, {6}, -3},
                                  {"i8_6", NpyType::i8, {6}, -3},
                                  {"f4_4x5", NpyType::f4, {4, 5}, -3},
                                  {"f8_2x3x2x2", NpyType::f8, {2, 3, 2, 2}, -3}};
    for (const auto& [name, type, shape, first] : cases) {
        INFO(name);
        const auto header = read_npy_header(*file_source(numpy_file(name)));
        CHECK(header.type == type);
        CHECK(header.shape == shape);
        CHECK(header.offset == 128);
        const auto expected = counted_from(first, static_cast<std::size_t>(shape.elements()));
        CHECK(elements(name, true) == expected);
        CHECK(elements(name, false) == expected);
    }
}

TEST_CASE("NPY files that convoy does not read are refused with what they hold") {
    const auto refused = [](const std::string& name) {
        try {
            read_npy_header(*file_source(numpy_file(name)));
        } catch (const DataError& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    CHECK_THAT(refused("fortran"),
               Contains("fortran.npy: found an array in Fortran order, expected C order"));
    CHECK_THAT(
        refused("big_endian"),
        Contains("big_endian.npy: found elements of type \">f4\", big-endian, expected one of '|u1', '<i4'"));
    CHECK_THAT(refused("half"), Contains("found elements of type \"<f2\", expected one of"));
    CHECK_THAT(refused("structured"), Contains("found a structured type"));
    CHECK_THAT(refused("scalar"), Contains("found a single number, expected an array"));
    CHECK_THAT(refused("empty"), Contains("its shape is 0x3: it holds no examples"));
}

TEST_CASE("an NPY header is read in whatever order and with whatever blanks it has") {
    const auto header =
        header_of(npy_bytes("{\"shape\":( 2 ,3),\n 'fortran_order' :False,'descr':'|u1'}", "abcdef"));
    CHECK(header.shape == Shape{2, 3});
    CHECK(header.type == NpyType::u1);
    // One dimension is in both orders at once.
    CHECK(header_of(npy_bytes("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }", "abc")).shape ==
          Shape{3});
}

TEST_CASE("damaged NPY headers are refused, each with its reason") {
    const auto dictionary = [](const std::string& text) { return refusal(npy_bytes(text, "abc")); };
    CHECK_THAT(refusal(""), Contains("FILE: truncated: 0 of the 8 bytes"));
    CHECK_THAT(refusal("PK\x03\x04...."), Contains("not an NPY file"));
    CHECK_THAT(refusal(std::string("\x93NUMPY\x04\x00", 8)),
               Contains("found NPY version 4.0, expected 1.0, 2.0 or 3.0"));
    CHECK_THAT(refusal(std::string("\x93NUMPY\x01\x01", 8)), Contains("version 1.1"));
    CHECK_THAT(refusal(std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)), Contains("header has 65535 bytes"));
    CHECK_THAT(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
               Contains("header has 4294967295 bytes"));
    CHECK_THAT(dictionary(""), Contains("'{' is missing"));
    CHECK_THAT(dictionary("{}"), Contains("not all of 'descr', 'fortran_order' and 'shape'"));
    CHECK_THAT(dictionary("{'descr': '|u1', 'descr': '|u1'}"),
               Contains("\"descr\" is unknown or stands twice"));
    CHECK_THAT(dictionary("{'a': 1}"), Contains("\"a\" is unknown"));
    CHECK_THAT(dictionary("{'descr"), Contains("a string does not end"));
    CHECK_THAT(dictionary("{'shape': (3"), Contains("')' is missing"));
    CHECK_THAT(dictionary("{'shape': (-3,)"), Contains("no extent"));
    CHECK_THAT(dictionary("{'shape': (99999999999999999999,)"), Contains("no extent"));
    CHECK_THAT(dictionary("{'fortran_order': 0"), Contains("neither True nor False"));
    CHECK_THAT(dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)} x"),
               Contains("follow its dictionary"));
    std::string deep;
    for (int i = 0; i < 33; ++i) deep += "1,";
    CHECK_THAT(dictionary("{'shape': (" + deep + ")"), Contains("more than 32 dimensions"));
    CHECK(refusal(npy_bytes("{'" + std::string(5000, '\x01') + "': 1}", "")).size() < 300);
}

TEST_CASE("an NPY file has exactly the bytes that its header announces, before anything is allocated") {
    CHECK(refusal(npy_array("<i4", "2, 1", "abcdefgh")) == "taken");
    CHECK_THAT(refusal(npy_array("<i4", "2", "abcdefg")),
               Contains("FILE: ") && Contains("truncated or damaged"));
    CHECK_THAT(refusal(npy_array("<i4", "2", "abcdefghi")), Contains("truncated or damaged"));
    CHECK_THAT(refusal(npy_array("<i4", "1099511627776, 1099511627776", "")), Contains("expected at most"));
    CHECK_THAT(refusal(npy_array("<i4", "4611686018427387904, 4", "")), Contains("expected at most"));
    CHECK_THAT(refusal(npy_array("<i4", "281474976710656", "")), Contains("announces"));
}

TEST_CASE("pixels with their channels behind them become planes, whatever piece they are read in") {
    std::vector<ArrayFile> files;
    files.emplace_back(numpy_file("f4_2x2x2x3"), true);
    const ArrayValues values(std::move(files), {.scale = 2.0, .channels_last = 3});
    std::vector<float> image(12);
    values.read(1, image);
    CHECK(image == std::vector<float>{18, 24, 30, 36, 20, 26, 32, 38, 22, 28, 34, 40});

    // 3 x 2000 floats are read in three pieces.
    const TemporaryFolder folder;
    std::string bytes;
    for (int i = 0; i < 6000; ++i) {
        const auto value = static_cast<float>(i);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    const auto file = folder.write("long.npy", npy_array("<f4", "1, 1, 2000, 3", bytes));
    std::vector<ArrayFile> one;
    one.emplace_back(file, false);
    const ArrayValues pieces(std::move(one), {.scale = 1.0, .channels_last = 3});
    std::vector<float> planes(6000);
    pieces.read(0, planes);
    bool right = true;
    for (std::size_t i = 0; i < 6000; ++i)
        right = right && planes[i % 3 * 2000 + i / 3] == static_cast<float>(i);
    CHECK(right);

    folder.write("long.npy", npy_array("<f4", "1, 1, 2000, 3", bytes).substr(0, 20000));
    CHECK_THROWS_WITH(pieces.read(0, planes), Contains("long.npy: became shorter while it was read"));
}

TEST_CASE("integers of any size are scaled before they are rounded to a float") {
    const TemporaryFolder folder;
    const std::int32_t large = (1 << 24) + 1;  // no float
    const auto file = folder.write(
        "large.npy", npy_array("<i4", "1", {reinterpret_cast<const char*>(&large), sizeof large}));
    std::vector<ArrayFile> files;
    files.emplace_back(file, true);
    const ArrayValues values(std::move(files), {.scale = 3.0});
    std::vector<float> value(1);
    values.read(0, value);
    CHECK(value[0] == 50331652.0F);  // 50331651 to the nearest; not 3 * 16777216
}

TEST_CASE("values that are no finite floats are refused where they stand") {
    for (const bool in_memory : {true, false}) {
        std::vector<ArrayFile> files;
        files.emplace_back(numpy_file("not_finite"), in_memory);
        const ArrayValues values(std::move(files), {});
        std::vector<float> pair(2);
        values.read(0, pair);
        CHECK_THROWS_WITH(values.read(1, pair), Contains("not_finite.npy: example 1 holds nan"));
    }
}

TEST_CASE("labels are integers of one dimension, each within bounds") {
    CHECK(read_labels({numpy_file("labels_u1"), false}, 2) == std::vector<std::int32_t>{0, 2, 1, 0});
    CHECK(read_labels({numpy_file("labels_i8"), true}, 2) == std::vector<std::int32_t>{0, 2, 1, 0, 1, 2});
    CHECK_THROWS_WITH(read_labels({numpy_file("labels_i8"), false}, 1),
                      Contains("labels_i8.npy: found label 2 of example 1, expected one in 0 to 1"));
    CHECK_THROWS_WITH(read_labels({numpy_file("i4_6"), false}, 9), Contains("found label -3 of example 0"));
    CHECK_THROWS_WITH(read_labels({numpy_file("f4_4x5"), false}, 9),
                      Contains("found labels of shape 4x5 and type '<f4', expected one dimension"));
}
