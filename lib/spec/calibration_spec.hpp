#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The speed of one node in one layer, for each kind of product and for pooling. An absent speed was not
/// measured.
struct LayerSpeeds {
    std::string layer = {};  ///< its name in the model
    std::optional<double> convolution_gflops = {}, filter_gradient_gflops = {}, input_gradient_gflops = {},
                          matmul_gflops = {}, pooling_gb_s = {};
    bool operator==(const LayerSpeeds&) const = default;
};

/// The speed of one node for each kind of operator. An absent speed was not measured, since the network has
/// no such operator. A multiply-add counts as two floating-point operations. GFLOP/s are 10^9 operations a
/// second.
struct NodeSpeeds {
    std::optional<double> convolution_gflops = {};      ///< forward
    std::optional<double> filter_gradient_gflops = {};  ///< of convolutions
    std::optional<double> input_gradient_gflops = {};   ///< of convolutions
    std::optional<double> matmul_gflops = {};           ///< all three products of dense layers
    std::optional<double> elementwise_gb_s = {};        ///< 10^9 bytes a second, read and written
    /// The same of pooling and its gradient. Older versions did not measure it; then elementwise_gb_s counts.
    std::optional<double> pooling_gb_s = {};
    std::vector<LayerSpeeds> layers = {};  ///< those of single layers, each layer once
    bool operator==(const NodeSpeeds&) const = default;
};

/// The speed of pooling, or that of elementwise operators where it was not measured.
inline std::optional<double> pooling_speed(const NodeSpeeds& speeds) {
    return speeds.pooling_gb_s ? speeds.pooling_gb_s : speeds.elementwise_gb_s;
}

/// The speeds of a node in one layer: those that were measured in it, and the node's own for the rest. The
/// result has no layers.
NodeSpeeds speeds_in_layer(const NodeSpeeds& speeds, std::string_view layer);

/// The measurement of one node.
struct NodeCalibration {
    std::int64_t host = 0;
    std::int64_t threads = 1;
    NodeSpeeds speeds = {};
    bool operator==(const NodeCalibration&) const = default;
};

/// The measurement of one link: between two hosts (both directions at the same time), or between two nodes of
/// one host if from = to.
struct LinkCalibration {
    std::int64_t from = 0, to = 0;  ///< hosts, from <= to
    double mbit = 0.0;              ///< payload in each direction, in 10^6 bits a second
    double latency_us = 0.0;        ///< one way, of the smallest message
    bool operator==(const LinkCalibration&) const = default;
};

/// The fastest algorithm for sums over this many nodes, up to a size.
struct AllReduceChoice {
    std::int64_t nodes = 1;
    std::optional<std::int64_t> up_to_bytes = {};  ///< bytes on the wire; absent: all larger sums
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    bool operator==(const AllReduceChoice&) const = default;
};

/// The measurements of `convoy calibrate` on the machines of an experiment (lib/plan/CALIBRATION.md).
struct CalibrationSpec {
    std::int64_t hosts = 1;                        ///< number of hosts; links name hosts from 0
    std::vector<NodeCalibration> nodes = {};       ///< by rank
    std::vector<LinkCalibration> links = {};       ///< at most one for each pair of hosts
    std::vector<AllReduceChoice> all_reduce = {};  ///< ascending in nodes, then in up_to_bytes
    bool operator==(const CalibrationSpec&) const = default;
};

/// A calibration as JSON, which parse_calibration reads.
nlohmann::json to_json(const CalibrationSpec& calibration);

/// Reads a calibration from JSON and checks every bound. source: the name of the JSON in errors. Throws
/// DataError as parse_spec.
CalibrationSpec parse_calibration(const nlohmann::json& content, const std::string& source);

/// The calibration in a file. Throws MissingFileError, or DataError.
CalibrationSpec load_calibration(const std::filesystem::path& file);

/// Converts `strategy.calibration` to rows of a calibration.
std::vector<AllReduceChoice> all_reduce_choices(const AllReduceCalibration& calibration);

}  // namespace convoy
