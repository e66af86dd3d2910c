#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// What unequal shares of a batch brought. All times are of steps on whole batches, in microseconds.
struct SharesGain {
    double step_us = 0.0;  ///< measured: the median of the slowest node's step
    /// Measured: the computation of the node that computes longest, each node by its median.
    double compute_us = 0.0;
    /// The same with equal shares, if each node took as long for an example as it did.
    double equal_compute_us = 0.0;
    /// The step with equal shares, if all but this computation stayed the same.
    [[nodiscard]] double equal_step_us() const { return step_us + equal_compute_us - compute_us; }
};

/// Absent if the run had equal shares, or if a node has no step on a whole batch behind the warm-up.
std::optional<SharesGain> shares_gain(const RunResults& results);

/// One line on the shares, one on the measured step and one on the predicted step, as far as they are known;
/// each ends in a line feed. Empty for a run with equal shares.
std::string shares_lines(const RunResults& results);

/// The shares in words: "shares of a batch by speed: 5, 5, 2 examples (equal shares: 4, 4, 4)".
std::string shares_text(const BatchShares& shares);
/// The predicted computation in words: "predicted from the calibration: forward and backward take the slowest
/// node 12.1 ms, and 20.0 ms with equal shares (1.65 times as long)". Empty if nothing was predicted.
std::string predicted_text(const BatchShares& shares);

/// The shares and the prediction, as `plan --json` has them.
nlohmann::json shares_json(const BatchShares& shares);
/// The value of `balance` in summary.json: the same and the measured times; null for a run with equal shares.
nlohmann::json shares_json(const RunResults& results);
/// Reads what shares_json writes. Throws DataError that names the source.
std::optional<BatchShares> read_shares(const nlohmann::json& summary, const std::string& source);

}  // namespace convoy
