#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace convoy {

/// The files of a run, or of a sweep, that say how it came to be.
struct DescribedRuns {
    nlohmann::json spec, environment;
    /// Host and threads of each node of a run, by its rank. Empty: not told, or a sweep, whose runs may
    /// differ.
    std::map<std::int64_t, nlohmann::json> nodes = {};
};

/// The JSON in a file; an empty object if it is absent. Throws DataError, FileError.
nlohmann::json json_in(const std::filesystem::path& file);

/// The spec and the environment of a run's folder. A file that is absent is an empty object. Throws
/// DataError, FileError.
DescribedRuns described_run(const std::filesystem::path& folder);

/// One line for each difference between two specs, environments and lists of nodes, below a heading; or one
/// line that says that there is none. Nodes are compared by rank, and only their number if one of the runs
/// has lost some, since the others then have new ranks.
std::string differences_text(const DescribedRuns& a, const DescribedRuns& b);

}  // namespace convoy
