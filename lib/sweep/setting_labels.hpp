#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// Short names of the values that a field of a grid has, for figures: "batch 48" for batch_size=48, "no
/// overlap" for strategy.overlap=false, "local_sgd, every 8" for the object {"name": "local_sgd",
/// "average_every": 8}. Parts that all values share are left out. The result has one label for each value,
/// and equal labels only for equal values. values: texts as in runs.csv.
std::vector<std::string> setting_labels(std::string_view field, std::span<const std::string> values);

/// The value that a setting is, by its text in tables and runs.csv: strings of the grid stand there without
/// quotes, so a text that is no JSON is the string.
nlohmann::json value_of_setting(const std::string& text);

/// A field in words: "bucket bytes" for "strategy.bucket_bytes", "strategy" for "strategy".
std::string field_words(std::string_view field);

}  // namespace convoy
