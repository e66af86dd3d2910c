#include "tensor/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/error_line.hpp"
#include "base/files.hpp"

using namespace convoy;

namespace {

const std::filesystem::path folder = CONVOY_TEST_FOLDER;

/// A file with this header, exactly as given, and so many bytes of data.
std::vector<std::byte> file_of(const std::string& header, std::size_t data_bytes) {
    std::vector<std::byte> bytes(8 + header.size() + data_bytes);
    const std::uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, sizeof length);
    std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin() + 8);
    return bytes;
}

std::string refusal(std::span<const std::byte> bytes) {
    return error_line<DataError>([&] { decode_safetensors(bytes, "w.safetensors"); });
}

std::string refusal(const std::string& header, std::size_t data_bytes = 8) {
    return refusal(file_of(header, data_bytes));
}

/// The tensor of the known-answer file that convoy writes.
std::vector<NamedTensor> known() {
    return {{"conv2d_1.weight", Shape{1, 2, 1, 3}, {-1.5F, 0.0F, 3.25F, 1e-40F, 65504.0F, -0.0F}},
            {"conv2d_1.bias", Shape{1}, {0.5F}}};
}

}  // namespace

TEST_CASE("tensors are written as Python's json and struct write them") {
    const auto bytes = encode_safetensors(known(), {{"format", "convoy"}, {"run", "0123"}});
    CHECK(bytes == read_bytes(folder / "known_written.safetensors"));
    CHECK((bytes.size() - 7 * sizeof(float)) % 8 == 0);
}

TEST_CASE("a file from another program is read, in the order of its data") {
    const auto tensors = decode_safetensors(read_bytes(folder / "known_foreign.safetensors"), "foreign");
    const std::vector<NamedTensor> expected{
        {"scalar", Shape{}, {7.0F}}, {"empty", Shape{0, 3}, {}}, {"z", Shape{2}, {0.1F, -2.0F}}};
    CHECK(tensors == expected);
}

TEST_CASE("what is written is read back bit by bit") {
    auto tensors = known();
    tensors.push_back({"a \"strange\" name\n", Shape{0}, {}});
    tensors.push_back({"special", Shape{3}, {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY}});
    const auto bytes = encode_safetensors(tensors);
    const auto back = decode_safetensors(bytes, "back");
    REQUIRE(back.size() == tensors.size());
    CHECK(encode_safetensors(back) == bytes);
    CHECK(std::bit_cast<std::uint32_t>(back[0].values[5]) == 0x80000000U);
    CHECK(decode_safetensors(encode_safetensors({}), "none").empty());
}

TEST_CASE("tensors that no reader could tell apart are not written") {
    const std::vector<NamedTensor> twice{{"a", Shape{1}, {1.0F}}, {"a", Shape{1}, {1.0F}}};
    const std::vector<NamedTensor> unfit{{"a", Shape{2}, {1.0F}}};
    const std::vector<NamedTensor> reserved{{"__metadata__", Shape{1}, {1.0F}}};
    CHECK_THROWS_AS(encode_safetensors(twice), InternalError);
    CHECK_THROWS_AS(encode_safetensors(unfit), InternalError);
    CHECK_THROWS_AS(encode_safetensors(reserved), InternalError);
}

TEST_CASE("a file that is cut anywhere is refused") {
    const auto bytes = read_bytes(folder / "known_written.safetensors");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        INFO(length << " bytes");
        CHECK_THAT(refusal(std::span(bytes).first(length)), Catch::StartsWith("w.safetensors: not "));
    }
    auto longer = bytes;
    longer.push_back({});
    CHECK_THAT(refusal(longer), Catch::EndsWith("29 bytes of data, of which the tensors cover 28"));
}

TEST_CASE("a header that does not add up is refused, with what is wrong") {
    const auto tensor = [](const std::string& shape, const std::string& offsets,
                           const std::string& dtype = "\"F32\"") {
        return R"("a": {"dtype": )" + dtype + R"(, "shape": )" + shape + R"(, "data_offsets": )" + offsets +
               "}";
    };
    const auto refused = [&](const std::string& shape, const std::string& offsets,
                             const std::string& dtype = "\"F32\"") {
        return refusal("{" + tensor(shape, offsets, dtype) + "}");
    };
    REQUIRE(refused("[2]", "[0, 8]").empty());
    const std::string where = "w.safetensors: not a whole safetensors file: tensor \"a\": ";
    CHECK(refused("[2]", "[0, 8]", "\"I64\"") == where + "found dtype \"I64\", expected \"F32\" or \"F64\"");
    CHECK(refused("[3]", "[0, 8]") == where + "its shape needs more than the 8 bytes of data");
    CHECK(refused("[1]", "[0, 8]") == where + "data_offsets span 8 bytes, shape and dtype need 4");
    CHECK(refused("[1]", "[4, 8]") == where + "its data begins at 4, expected 0");
    CHECK(refused("[2]", "[8, 0]") == where + "data_offsets do not lie within 8 bytes of data");
    CHECK(refused("[2]", "[4, 12]") == where + "data_offsets do not lie within 8 bytes of data");
    CHECK(refused("[2]", "[0, 8, 8]") == where + "data_offsets do not lie within 8 bytes of data");
    CHECK(refused("[-2]", "[0, 8]") == where + "shape is not a short list of integers from 0");
    CHECK(refused("[2.0]", "[0, 8]") == where + "shape is not a short list of integers from 0");
    CHECK(refused("2", "[0, 8]") == where + "shape is not a short list of integers from 0");
    CHECK(refused("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", "[0, 8]") ==
          where + "found 17 axes, expected at most 16");
    // A product that wraps around in 64 bits.
    CHECK(refused("[2, 9223372036854775808]", "[0, 8]") ==
          where + "its shape needs more than the 8 bytes of data");
    CHECK(refused("[4611686018427387904, 4, 2]", "[0, 8]") ==
          where + "its shape needs more than the 8 bytes of data");
    CHECK_FALSE(refused("[4294967296, 4294967296, 4294967296, 0]", "[0, 0]").empty());
    CHECK_FALSE(refused("[18446744073709551615, 0]", "[0, 0]").empty());
    CHECK_FALSE(refused("[2]", "[18446744073709551608, 8]").empty());

    CHECK_THAT(refusal(R"({"a": {"dtype": "F32", "shape": [2]}})"), Catch::Contains("and nothing else"));
    CHECK_THAT(refusal(R"({"a": 1})"), Catch::Contains("and nothing else"));
    CHECK_THAT(refusal(R"({"__metadata__": {"a": 1}})"), Catch::Contains("strings to strings"));
    CHECK_THAT(refusal("{" + tensor("[1]", "[0, 4]") + ", " + tensor("[1]", "[4, 8]") + "}"),
               Catch::Contains("stands twice"));
    const auto other = R"(, "b": {"dtype": "F32", "shape": [1], "data_offsets": )";
    CHECK_THAT(refusal("{" + tensor("[2]", "[0, 8]") + other + "[4, 8]}}"),
               Catch::Contains("begins at 4, expected 8"));
    CHECK_THAT(refusal(" {}", 0), Catch::Contains("does not begin with '{'"));
    CHECK_THAT(refusal("{", 0), Catch::Contains("not JSON"));
    CHECK_THAT(refusal("{}"), Catch::Contains("8 bytes of data, of which the tensors cover 0"));
    CHECK_FALSE(refusal("{\"\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}").empty());
}

TEST_CASE("a header length beyond the file is refused before anything is allocated") {
    auto bytes = file_of("{}", 0);
    for (const auto length : {std::uint64_t{3}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
        std::memcpy(bytes.data(), &length, sizeof length);
        CHECK_THAT(refusal(bytes), Catch::Contains("expected at most 2"));
    }
}

TEST_CASE("64-bit values that do not fit 32 bits are refused") {
    auto bytes = file_of(R"({"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}})", 8);
    const auto put = [&bytes](double value) {
        std::memcpy(bytes.data() + bytes.size() - 8, &value, sizeof value);
    };
    put(1e39);
    CHECK_THAT(refusal(bytes), Catch::EndsWith("value 1e+39 does not fit 32 bits"));
    put(-INFINITY);
    CHECK(decode_safetensors(bytes, "w").front().values.front() == -INFINITY);
}
