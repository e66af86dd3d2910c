#include "checkpoint/checkpoint_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "checkpoint/checkpoint_file.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".checkpoint";

/// So that names sort as steps do, as far as 10 digits reach.
std::string file_name(std::int64_t step) {
    return fmt::format("{}{:010}{}", prefix, step, suffix);
}

/// Whether file_name() gives this name for a step.
bool is_file_name(std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
    if (name.size() < prefix.size() + 10 + suffix.size()) return false;
    name.remove_prefix(prefix.size());
    name.remove_suffix(suffix.size());
    return name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The regular files of a folder whose names satisfy the predicate.
template <typename Predicate>
std::vector<fs::path> files_with(const fs::path& folder, const Predicate& predicate) {
    std::error_code ignored;
    auto files = paths_in(folder, ignored);
    std::erase_if(files, [&](const fs::path& file) {
        const auto name = file.filename().string();
        return !predicate(std::string_view(name)) || !fs::is_regular_file(fs::symlink_status(file, ignored));
    });
    return files;
}

/// The checkpoints in a folder, newest first; their names tell.
std::vector<fs::path> files_in(const fs::path& folder) {
    auto files = files_with(folder, is_file_name);
    std::ranges::sort(files, std::ranges::greater());
    return files;
}

/// Removes what a process was writing when it was killed.
void remove_unfinished(const fs::path& folder) {
    const auto is_unfinished = [](std::string_view name) {
        const auto target = target_of_temporary(name);
        return target && is_file_name(*target);
    };
    std::error_code ignored;
    for (const auto& file : files_with(folder, is_unfinished)) fs::remove(file, ignored);
}

}  // namespace

fs::path checkpoints_beside(const fs::path& run_folder) {
    const auto folder = run_folder.has_filename() ? run_folder : run_folder.parent_path();
    return folder.string() + ".checkpoints";
}

bool has_checkpoints(const fs::path& folder) {
    return !files_in(folder).empty();
}

CheckpointFolder::CheckpointFolder(fs::path folder, RunIdentity identity, std::int64_t keep, Open open)
    : path_(std::move(folder)),
      identity_(std::move(identity)),
      keep_(keep),
      open_(open),
      lock_(path_, SymbolicLinks::followed, "another convoy process has this run; wait for it", [this] {
          std::error_code problem;
          fs::create_directories(path_, problem);
          if (problem)
              throw OutputError(fmt::format("{}: cannot be made: {}", path_.string(), problem.message()));
      }) {
    if (open == Open::fresh && !files_in(path_).empty()) {
        throw UsageError(
            fmt::format("{}: holds checkpoints of a run that is not complete; give --resume to go on with "
                        "it, or remove it",
                        path_.string()));
    }
    remove_unfinished(path_);
}

CheckpointFolder::~CheckpointFolder() {
    ::rmdir(path_.c_str());  // not where it holds anything
}

std::optional<KeptCheckpoint> CheckpointFolder::newest(const Warn& warn) const {
    const auto files = files_in(path_);
    for (const auto& file : files) {
        std::optional<KeptCheckpoint> kept;
        try {
            kept = decode_checkpoint(read_bytes(file, checkpoint_format::most_bytes), file.string());
        } catch (const DataError& error) {
            warn(fmt::format("{}; {}", error.what(),
                             file == files.back() ? "there is none before it" : "trying the one before"));
            continue;
        }
        const auto& found = kept->identity;
        if (found.run_id != identity_.run_id && found.training_id != identity_.training_id) {
            throw DataError(fmt::format(
                "{}: is of run {:.12}, and this spec is run {:.12}; give the spec of the run, which "
                "may differ in its nodes and strategy, and the same convoy, or another --out",
                file.string(), found.run_id, identity_.run_id));
        }
        return kept;
    }
    return std::nullopt;
}

void CheckpointFolder::keep(const RunCheckpoint& checkpoint) const {
    write_whole(path_ / file_name(checkpoint.step()),
                encode_checkpoint({.identity = identity_, .checkpoint = checkpoint}));
    // Its name too has to be on disk before older ones go.
    if (::fsync(lock_.descriptor()) != 0)
        throw OutputError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
    auto files = files_in(path_);
    std::error_code ignored;
    // What is newer than the newest could not be read: the run has gone on from one before it.
    const auto newer = std::ranges::find(files, path_ / file_name(checkpoint.step()));
    for (auto file = files.begin(); file != newer; ++file) fs::remove(*file, ignored);
    files.erase(files.begin(), newer);
    for (auto i = static_cast<std::size_t>(keep_); i < files.size(); ++i) fs::remove(files[i], ignored);
}

void CheckpointFolder::clear() const {
    std::error_code ignored;
    for (const auto& file : files_in(path_)) fs::remove(file, ignored);
}

void remove_checkpoints(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& file : files_in(folder)) fs::remove(file, ignored);
    remove_unfinished(folder);
    ::rmdir(folder.c_str());  // not where it holds anything else
}

}  // namespace convoy
