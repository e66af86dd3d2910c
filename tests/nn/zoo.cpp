#include "nn/zoo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace convoy;

TEST_CASE("every name of the zoo resolves to layers with names of their own") {
    for (const auto& name : model_names()) {
        const auto model = resolve_model({.name = name, .input = {}, .layers = {}});
        CHECK(model.name == name);
        CHECK(model.input.rank() == 3);
        std::vector<std::string> names;
        for (const auto& layer : model.layers) names.push_back(layer.name);
        std::ranges::sort(names);
        CHECK(std::ranges::adjacent_find(names) == names.end());
        CHECK_FALSE(names.empty());
    }
}

TEST_CASE("inline layers are taken as they are, unknown names are refused with those that there are") {
    const ModelSpec inline_model{"inline", {1, 2, 2}, {{"flat", FlattenLayer{}}}};
    CHECK(resolve_model(inline_model) == inline_model);
    CHECK_THROWS_AS(resolve_model({.name = "mnist", .input = {}, .layers = {}}), DataError);
    CHECK_THROWS_WITH(resolve_model({.name = "mnist", .input = {}, .layers = {}}),
                      Catch::Contains("mnist_cnn"));
}
