#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error_line.hpp"
#include "spec/parse.hpp"

namespace convoy::test {

/// A spec with what none may leave out and nothing else.
inline const nlohmann::json minimal = {{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}};

/// A chain of layers of most types.
inline const nlohmann::json every_layer = nlohmann::json::parse(R"([
    {"type": "conv2d", "filters": 8, "kernel": 3, "stride": 2, "padding": "same", "activation": "relu"},
    {"type": "max_pool", "size": 3},
    {"type": "average_pool", "size": 2, "stride": 1, "padding": "same"},
    {"type": "conv2d", "name": "last", "filters": 4, "kernel": 1},
    {"type": "activation", "activation": "tanh"},
    {"type": "dropout", "rate": 0.25},
    {"type": "flatten"},
    {"type": "dense", "units": 10},
    {"type": "softmax"}])");

/// The minimal spec with one more field.
inline nlohmann::json with(const std::string& key, const nlohmann::json& value) {
    auto spec = minimal;
    spec[key] = value;
    return spec;
}

/// What is wrong with a spec of a file spec.json.
inline std::string refusal(const nlohmann::json& spec) {
    return error_line<DataError>([&] { parse_spec(spec, "spec.json"); });
}

}  // namespace convoy::test
