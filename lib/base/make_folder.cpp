#include "base/make_folder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/error.hpp"

namespace convoy {

void make_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) throw OutputError(fmt::format("{}: cannot be made: {}", folder.string(), problem.message()));
}

}  // namespace convoy
