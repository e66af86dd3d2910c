#pragma once

#include <nlohmann/json.hpp>
#include <variant>

#include "spec/dataset_spec.hpp"
#include "spec/experiment_spec.hpp"
#include "spec/model_spec.hpp"
#include "spec/optimizer_spec.hpp"
#include "spec/place.hpp"

/// Codecs (see codecs.hpp) of the parts of a spec that have a source of their own.
/// Included only by the sources of lib/spec.
namespace convoy {

inline constexpr std::int64_t most_nodes = 4096;

/// A number of nodes, or a list with one object for each.
struct NodesCodec {
    [[nodiscard]] std::vector<NodeSpec> read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const std::vector<NodeSpec>& nodes) const;
    [[nodiscard]] std::string expected() const;
};

/// Emulated hosts, and their limits.
struct ClusterCodec {
    [[nodiscard]] ClusterSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const ClusterSpec& cluster) const;
    [[nodiscard]] std::string expected() const;
};

/// The measurements of convoy calibrate.
struct CalibrationCodec {
    [[nodiscard]] CalibrationSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const CalibrationSpec& calibration) const;
    [[nodiscard]] std::string expected() const;
};

/// The measurements of convoy calibrate, or the path of a file with them.
struct CalibrationSourceCodec {
    [[nodiscard]] std::variant<std::string, CalibrationSpec> read(const nlohmann::json& found,
                                                                  const Place& place) const;
    [[nodiscard]] nlohmann::json write(const std::variant<std::string, CalibrationSpec>& source) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of kernels, or {"name": ..., other fields of kernels}.
struct KernelsCodec {
    [[nodiscard]] KernelSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const KernelSpec& kernels) const;
    [[nodiscard]] std::string expected() const;
};

/// An object whose "name" decides which other fields it has.
struct DatasetCodec {
    [[nodiscard]] DatasetSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const DatasetSpec& dataset) const;
    [[nodiscard]] std::string expected() const;
};

/// The layers of a network in their order.
struct LayerListCodec {
    [[nodiscard]] std::vector<LayerSpec> read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const std::vector<LayerSpec>& layers) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of a model, {"name": ...}, or {"input": [C, H, W], "layers": [...]}.
struct ModelCodec {
    [[nodiscard]] ModelSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const ModelSpec& model) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of a strategy, or {"name": ..., other fields of a strategy}.
struct StrategyCodec {
    [[nodiscard]] StrategySpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const StrategySpec& strategy) const;
    [[nodiscard]] std::string expected() const;
};

/// A field of a strategy as a spec has it.
nlohmann::json strategy_field(const StrategySpec& strategy, const char* field);

/// A list of faults, or an object for random ones.
struct FaultsCodec {
    [[nodiscard]] FaultsSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const FaultsSpec& faults) const;
    [[nodiscard]] std::string expected() const;
};

/// The name of an optimizer, or {"name": ..., fields of this optimizer}.
struct OptimizerCodec {
    [[nodiscard]] OptimizerSpec read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const OptimizerSpec& optimizer) const;
    [[nodiscard]] std::string expected() const;
};

}  // namespace convoy
