#include "data/folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/similar_name.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

std::optional<fs::path> from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
}

/// Which file of a folder the mistyped name of a path may mean, in words; nothing without one.
std::string similar_file_in(const fs::path& folder, const fs::path& missing) {
    std::error_code problem;
    std::vector<std::string> names;
    for (fs::directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem))
        if (std::error_code unknown; each->is_regular_file(unknown))
            names.push_back(each->path().filename().string());
    std::ranges::sort(names);
    const auto similar =
        similar_name(missing.filename().string(), std::vector<std::string_view>(names.begin(), names.end()));
    if (!similar) return "";
    return " (did you mean \"" + (missing.parent_path() / *similar).string() + "\"?)";
}

}  // namespace

fs::path find_data_folder(const std::optional<fs::path>& from_command_line) {
    if (from_command_line) return *from_command_line;
    return from_environment("CONVOY_DATA").value_or(fs::path("datasets") / "cache");
}

fs::path cache_folder(const fs::path& data_folder) {
    return from_environment("CONVOY_CACHE").value_or(data_folder);
}

fs::path share_folder() {
    if (const auto chosen = from_environment("CONVOY_SHARE")) return *chosen;
    std::error_code problem;
    const auto executable = fs::read_symlink("/proc/self/exe", problem);
    auto installed = executable.parent_path().parent_path() / "share" / "convoy";
    if (!problem && fs::is_directory(installed, problem)) return installed;
    return CONVOY_SHARE_DIR;
}

fs::path find_experiment(const fs::path& given) {
    std::error_code problem;
    if (given.empty() || *given.begin() != "experiments" || fs::exists(given, problem)) return given;
    auto ours = share_folder() / given;
    return fs::is_regular_file(ours, problem) ? ours : given;
}

fs::path existing_experiment(const fs::path& given) {
    auto found = find_experiment(given);
    std::error_code problem;
    if (given.empty() || fs::exists(found, problem) || problem) return found;
    auto similar = similar_file_in(given.has_parent_path() ? given.parent_path() : fs::path("."), given);
    if (similar.empty() && *given.begin() == "experiments")
        similar = similar_file_in((share_folder() / given).parent_path(), given);
    throw MissingFileError(given.string() + ": No such file or directory" + similar);
}

}  // namespace convoy
