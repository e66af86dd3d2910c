#pragma once

#include <filesystem>

namespace convoy {

/// Makes a folder and those above it; one that is there is kept. Throws OutputError with the system's reason.
void make_folder(const std::filesystem::path& folder);

}  // namespace convoy
