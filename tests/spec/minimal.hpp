#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error_line.hpp"
#include "spec/parse.hpp"

namespace convoy::test {

/// A spec with what none may leave out and nothing else.
inline const nlohmann::json minimal = {{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}};

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
