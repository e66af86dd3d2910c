#pragma once

#include <nlohmann/json.hpp>

#include "spec/dataset_spec.hpp"
#include "spec/experiment_spec.hpp"
#include "spec/model_spec.hpp"
#include "spec/optimizer_spec.hpp"
#include "spec/place.hpp"

/// Codecs (see codecs.hpp) of the parts of a spec that have a source of their own.
/// Included only by the sources of lib/spec.
namespace convoy {

inline constexpr std::int64_t most_nodes = 4096;

/// An object whose "name" decides which other fields it has.
struct DatasetCodec {
    [[nodiscard]] DatasetSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const DatasetSpec& dataset) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of a model, {"name": ...}, or {"input": [C, H, W], "layers": [...]}.
struct ModelCodec {
    [[nodiscard]] ModelSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const ModelSpec& model) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of a strategy, or {"name": ..., and all else that a strategy has}.
struct StrategyCodec {
    [[nodiscard]] StrategySpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const StrategySpec& strategy) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of an optimizer, or {"name": ..., and what that optimizer has}.
struct OptimizerCodec {
    [[nodiscard]] OptimizerSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const OptimizerSpec& optimizer) const;
    [[nodiscard]] std::string expected() const;
};

}  // namespace convoy
