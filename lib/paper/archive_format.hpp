#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convoy {

/// The archive of a paper. ARCHIVE.md describes it.
inline constexpr std::string_view archive_kind = "convoy archive";
inline constexpr std::int64_t archive_version = 1;

/// The files of an archive; those of a run are in runs/NAME-RUNID/.
inline constexpr std::string_view archive_index_file = "archive.json";
inline constexpr std::string_view reproduce_file = "reproduce.sh";
inline constexpr std::string_view archive_runs_folder = "runs";
inline constexpr std::array<std::string_view, 4> archive_files{archive_index_file, "sweep.json", "runs.csv",
                                                               reproduce_file};
inline constexpr std::array<std::string_view, 3> archive_run_files{"spec.json", "summary.json",
                                                                   "environment.json"};

/// Bounds on an archive from outside.
inline constexpr std::size_t most_archive_bytes = std::size_t{64} << 20U;  ///< compressed
inline constexpr std::size_t most_unpacked_bytes = std::size_t{256} << 20U;
inline constexpr std::size_t most_archived_file_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t most_archived_files = 30'004;  ///< those of 10,000 runs, the most of a sweep

}  // namespace convoy
