#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

/// The environment.json of a run folder or an OUT.partial; absent if it has none. Throws DataError if it is
/// no JSON, MissingFileError if it cannot be read.
std::optional<nlohmann::json> read_environment(const std::filesystem::path& folder);

/// What differs between the builds and the data of two runs, by their environment.json (RUN_FOLDER.md): a few
/// words for each difference. The names of files that only one of them has are no difference, as a launcher
/// may lack files, nor is what an older convoy did not tell. Throws DataError that names `source`, where
/// `before` comes from, if it is damaged.
std::vector<std::string> origin_differences(const nlohmann::json& before, const nlohmann::json& now,
                                            const std::string& source);

/// The part of origin_differences on the data.
std::vector<std::string> data_differences(const nlohmann::json& before, const nlohmann::json& now,
                                          const std::string& source);

}  // namespace convoy
