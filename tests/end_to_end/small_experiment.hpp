#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "convoy_process.hpp"

namespace convoy::test {

/// An experiment that takes a second: drawn digits, a small network with dropout, two nodes of one thread.
nlohmann::json small_spec();

/// The same, but it would go on for a long time; it says a line after some epochs.
nlohmann::json long_spec();

/// Writes a spec into the folder and returns its path.
std::string write_spec(const TemporaryFolder& folder, const nlohmann::json& spec,
                       const std::string& name = "spec.json");

/// Runs a spec with --out FOLDER/out and requires that it succeeds. Returns the run's folder.
std::filesystem::path run_spec(const TemporaryFolder& folder, const nlohmann::json& spec,
                               const std::string& out);

/// A file of a run as text, or as JSON.
std::string text_of(const std::filesystem::path& file);
nlohmann::json json_of(const std::filesystem::path& file);

/// The rows of a CSV file without quotes, by column name.
std::vector<nlohmann::json> rows_of(const std::filesystem::path& file);

/// The loss of each step over all nodes, from steps.csv.
std::vector<double> losses_of(const std::filesystem::path& run);

/// The loss of each step over all nodes, in the digits of steps.csv.
std::vector<std::string> global_losses_of(const std::filesystem::path& run);

/// The SHA-256 of a run's weights.
std::string sha256_of_weights(const std::filesystem::path& run);

/// So many nodes of one thread, as a spec has them.
nlohmann::json nodes(int count);

/// A fault of a spec: what happens to a node when it begins a step.
nlohmann::json fault(int node, int step, const char* kind);

/// Both are of at least so many steps, and the losses of these differ by less than 1e-4.
void check_same_losses(const std::vector<double>& a, const std::vector<double>& b, std::size_t steps);

}  // namespace convoy::test
