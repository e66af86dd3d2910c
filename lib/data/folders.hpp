#pragma once

#include <filesystem>
#include <optional>

namespace convoy {

/// The folder of datasets, with one folder for each dataset: the value of --data, else $CONVOY_DATA, else
/// datasets/cache in the current folder. It may not exist.
std::filesystem::path find_data_folder(
    const std::optional<std::filesystem::path>& from_command_line = std::nullopt);

/// The folder of the files that convoy fetches from addresses in a spec: $CONVOY_CACHE, else the data folder.
/// It may not exist.
std::filesystem::path cache_folder(const std::filesystem::path& data_folder);

/// The folder of the files that come with convoy (datasets/, experiments/): $CONVOY_SHARE, else
/// ../share/convoy beside the executable's folder if convoy is installed, else the source tree of the build.
std::filesystem::path share_folder();

/// The file of a spec or a sweep that a command line names. `given` as it is; but experiments/... that is not
/// there, seen from the current folder, is the one in share_folder(), if that has it.
std::filesystem::path find_experiment(const std::filesystem::path& given);

/// As find_experiment, of a file that must be there. Throws MissingFileError without it, whose text names a
/// similar file beside it, if there is one.
std::filesystem::path existing_experiment(const std::filesystem::path& given);

}  // namespace convoy
