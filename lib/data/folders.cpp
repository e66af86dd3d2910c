#include "data/folders.hpp"

#include <cstdlib>

namespace convoy {
namespace fs = std::filesystem;

namespace {

std::optional<fs::path> from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
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

}  // namespace convoy
