#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace convoy::test {

/// The values of a text in Prometheus' format, by name and labels as they are written.
std::map<std::string, double> metric_values(const std::string& text);

/// The values that the metrics of a run must have at its end, by its CSV files and its summary: by name
/// without `convoy_`, and labels without `run`, as in node_steps_total{node="0"}.
std::map<std::string, double> values_of_tables(const std::filesystem::path& run);

/// A value but for the digits that CSV files leave out: 1e-6 of it, or 1e-5.
Catch::Matchers::Floating::WithinAbsMatcher has_value(double value);

/// Checks that a text of metrics has the values of a run's tables. but_node: is left out.
void check_metrics(const std::string& text, const std::filesystem::path& run,
                   std::optional<std::int64_t> but_node = {});

}  // namespace convoy::test
