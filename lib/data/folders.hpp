#pragma once

#include <filesystem>
#include <optional>

namespace convoy {

/// Where datasets are looked up, each in a folder of its name: what --data says, else $CONVOY_DATA, else
/// datasets/cache under the current folder. It need not be there.
std::filesystem::path find_data_folder(
    const std::optional<std::filesystem::path>& from_command_line = std::nullopt);

/// Where the files are that come with convoy (datasets/, experiments/): $CONVOY_SHARE, else ../share/convoy
/// beside the executable's folder where convoy is installed, else the source tree that it was built from.
std::filesystem::path share_folder();

}  // namespace convoy
