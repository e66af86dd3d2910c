#include "tensor/tensor_parts.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/error_line.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

const Shape whole{4, 2, 3};

NamedTensor weight() {
    NamedTensor tensor{"conv.weight", whole, std::vector<float>(static_cast<std::size_t>(whole.elements()))};
    std::iota(tensor.values.begin(), tensor.values.end(), 1.0F);
    return tensor;
}

TensorPart part_of_weight(const TensorSlice& slice) {
    return {"conv.weight", whole, slice, cut_slice(weight().values, slice, whole)};
}

/// A file whose one tensor, of 2x3 elements, has this metadata.
std::string metadata_refusal(const std::string& described) {
    const std::vector<NamedTensor> tensors{{"w", Shape{2, 3}, std::vector<float>(6)}};
    const auto bytes = encode_safetensors(tensors, {{"part of w", described}});
    return error_line<DataError>([&] { decode_parts(bytes, "a file"); });
}

}  // namespace

TEST_CASE("parts of tensors come back from their file") {
    const std::vector<TensorPart> parts{part_of_weight({.axis = 0, .first = 1, .count = 2}),
                                        whole_part({"dense.bias", Shape{2}, {1.0F, 2.0F}})};
    CHECK(decode_parts(encode_parts(parts), "a file") == parts);
}

TEST_CASE("a file of whole tensors has the same bytes as without parts") {
    const std::vector<TensorPart> parts{whole_part(weight())};
    CHECK(encode_parts(parts, {{"key", "value"}}) ==
          encode_safetensors(std::vector{weight()}, {{"key", "value"}}));
}

TEST_CASE("a whole is put together from its parts, along any axis and in any order") {
    const std::vector<std::vector<TensorSlice>> cuts{
        {{.axis = 0, .first = 3, .count = 1}, {.axis = 0, .first = 0, .count = 3}},
        {{.axis = 1, .first = 0, .count = 1}, {.axis = 1, .first = 1, .count = 1}},
        {{.axis = 2, .first = 0, .count = 2}, {.axis = 2, .first = 2, .count = 1}},
        {{.axis = 0, .first = 0, .count = 4}}};
    for (const auto& cut : cuts) {
        std::vector<TensorPart> parts;
        for (const auto& slice : cut) parts.push_back(part_of_weight(slice));
        CHECK(join_parts(parts, SharedPlaces::mean, "nodes") == weight());
        CHECK(join_parts(parts, SharedPlaces::sum, "nodes") == weight());
    }
}

TEST_CASE("places that several parts hold get the mean, or the sum") {
    const std::vector<TensorPart> parts{whole_part({"w", Shape{2}, {1.0F, 4.0F}}),
                                        {"w", Shape{2}, {.axis = 0, .first = 1, .count = 1}, {8.0F}}};
    CHECK(join_parts(parts, SharedPlaces::mean, "nodes").values == std::vector<float>{1.0F, 6.0F});
    CHECK(join_parts(parts, SharedPlaces::sum, "nodes").values == std::vector<float>{1.0F, 12.0F});
}

TEST_CASE("a tensor without elements is a whole, and a single part keeps its bits") {
    const std::vector<NamedTensor> tensors{{"none", Shape{0}, {}}, {"zero", Shape{1}, {-0.0F}}};
    const auto bytes = encode_safetensors(tensors);
    CHECK(encode_parts(decode_parts(bytes, "a file")) == bytes);
    const std::vector<TensorPart> none{whole_part(tensors[0]), whole_part(tensors[0])};
    CHECK(join_parts(none, SharedPlaces::mean, "nodes").values.empty());
    const std::vector<TensorPart> halves{{"zero", Shape{2}, {.axis = 0, .first = 0, .count = 1}, {-0.0F}},
                                         {"zero", Shape{2}, {.axis = 0, .first = 1, .count = 1}, {1.0F}}};
    CHECK(std::signbit(join_parts(halves, SharedPlaces::mean, "nodes").values.at(0)));
}

TEST_CASE("a part of a large whole takes no memory for the whole") {
    const std::vector<TensorPart> parts{
        {"w", Shape{most_whole_elements}, {.axis = 0, .first = 0, .count = 1}, {1.0F}}};
    CHECK_THROWS_AS(join_parts(parts, SharedPlaces::mean, "nodes"), DataError);
}

TEST_CASE("parts that make no whole are refused") {
    const auto joined = [](const std::vector<TensorPart>& parts) {
        return error_line<DataError>([&] { join_parts(parts, SharedPlaces::mean, "the nodes"); });
    };
    CHECK_THAT(joined({part_of_weight({.axis = 0, .first = 1, .count = 3})}),
               Contains("the nodes") && Contains("conv.weight") && Contains("lacks a part"));
    CHECK_THAT(joined({whole_part(weight()), whole_part({"conv.weight", Shape{1}, {1.0F}})}),
               Contains("several shapes"));
    const auto twice = [&](SharedPlaces shared) {
        const std::vector<TensorPart> parts{whole_part(weight()), whole_part(weight())};
        return error_line<DataError>([&] { join_parts(parts, shared, "the nodes"); });
    };
    CHECK_THAT(twice(SharedPlaces::refused), Contains("has a part twice"));
    CHECK(twice(SharedPlaces::mean) == "");
}

TEST_CASE("all tensors are put together in the order in which they first come") {
    const auto joined = join_all_parts(
        {part_of_weight({.axis = 0, .first = 0, .count = 2}), whole_part({"b/residual", Shape{1}, {1.0F}}),
         part_of_weight({.axis = 0, .first = 2, .count = 2}), whole_part({"b/residual", Shape{1}, {2.0F}})},
        "nodes", [](const std::string& name) {
            return name.ends_with("/residual") ? SharedPlaces::sum : SharedPlaces::mean;
        });
    CHECK(joined == std::vector<NamedTensor>{weight(), {"b/residual", Shape{1}, {3.0F}}});
}

TEST_CASE("what a file says of its parts is held against its tensors") {
    CHECK_THAT(metadata_refusal("not json"), Contains("a file") && Contains("part of \"w\""));
    for (const auto* described :
         {"[]", R"({"whole": [4, 3], "axis": 0})", R"({"whole": [4, 3], "axis": 0, "first": 1, "more": 1})",
          R"({"whole": [4], "axis": 0, "first": 1})", R"({"whole": [4, 4], "axis": 0, "first": 1})",
          R"({"whole": [4, 3], "axis": 2, "first": 1})", R"({"whole": [4, 3], "axis": 0, "first": 3})",
          R"({"whole": [4, 3], "axis": 0, "first": -1})", R"({"whole": [4, 3], "axis": 0, "first": 1.5})",
          R"({"whole": [4, 99999999999], "axis": 1, "first": 0})",
          R"({"whole": [4294967296, 4294967296], "axis": 0, "first": 0})",
          R"({"whole": [1, 3], "axis": 0, "first": 0})"}) {
        INFO(described);
        CHECK_THAT(metadata_refusal(described), Contains("a file: part of \"w\""));
    }
}
