#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace convoy {

/// The most nodes of a run, as in specs. A damaged folder may name any number.
inline constexpr std::int64_t most_ranks = 4096;

/// The files of a run folder.
inline constexpr std::string_view spec_file = "spec.json";
inline constexpr std::string_view environment_file = "environment.json";
inline constexpr std::string_view summary_file = "summary.json";
inline constexpr std::string_view operators_file = "operators.csv";
inline constexpr std::string_view steps_file = "steps.csv";
inline constexpr std::string_view epochs_file = "epochs.csv";
inline constexpr std::string_view system_file = "system.csv";
inline constexpr std::string_view label_histogram_file = "label_histogram.csv";
inline constexpr std::string_view updates_file = "updates.csv";
inline constexpr std::string_view failures_file = "failures.csv";
inline constexpr std::string_view trace_file = "trace.json";
inline constexpr std::string_view report_file = "report.md";
inline constexpr std::string_view page_file = "report.html";
inline constexpr std::string_view weights_file = "weights.safetensors";
inline constexpr std::string_view predictions_file = "predictions.csv";          ///< of `convoy evaluate`
inline constexpr std::string_view predictions_picture_file = "predictions.svg";  ///< likewise

/// The columns of a run folder's CSV files, in order. RUN_FOLDER.md describes them.
inline constexpr std::array<std::string_view, 21> operators_columns{
    "node",    "epoch",           "phase",  "operator",     "name",      "calls",      "total_us",
    "mean_us", "p50_us",          "p99_us", "in_flight_us", "hidden_us", "exposed_us", "folded_into",
    "skew_us", "exposed_skew_us", "pass",   "kind",         "flops",     "read_bytes", "written_bytes"};
inline constexpr std::array<std::string_view, 13> steps_columns{
    "node",    "epoch",   "step",        "loss",          "examples", "step_us",     "compute_us",
    "wait_us", "correct", "global_loss", "gradient_norm", "penalty",  "core_look_us"};
inline constexpr std::array<std::string_view, 9> epochs_columns{
    "epoch",     "train_loss",    "train_accuracy", "validation_loss", "validation_accuracy",
    "test_loss", "test_accuracy", "train_s",        "evaluate_s"};
inline constexpr std::array<std::string_view, 10> system_columns{
    "node",           "time_s",     "cpu_user_pct",   "cpu_system_pct", "cpu_iowait_pct",
    "resident_bytes", "sent_bytes", "received_bytes", "cpu_idle_pct",   "machine_used_bytes"};

inline constexpr std::array<std::string_view, 7> updates_columns{"node",    "update",    "worker", "step",
                                                                 "version", "staleness", "ahead"};
inline constexpr std::array<std::string_view, 12> failures_columns{"time",
                                                                   "node",
                                                                   "step",
                                                                   "cause",
                                                                   "detected_after_s",
                                                                   "first_step_after_s",
                                                                   "steps_lost",
                                                                   "replaced_after_s",
                                                                   "fault",
                                                                   "fault_step",
                                                                   "agreed_after_s",
                                                                   "examples_lost"};
inline constexpr std::array<std::string_view, 3> label_histogram_columns{"node", "label", "examples"};

/// The names of phases, by RunPhase.
inline constexpr std::array<std::string_view, 3> phase_names{"train", "evaluate", "checkpoint"};

}  // namespace convoy
