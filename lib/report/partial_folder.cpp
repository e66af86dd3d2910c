#include "report/partial_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output_file.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view partial_suffix = ".partial";

/// Whether a folder has nothing but what a process wrote before its marker was whole.
bool is_hardly_begun(const fs::path& folder) {
    const auto has_only = [](const fs::path& in, std::span<const std::string_view> names) {
        std::error_code problem;
        const auto entries = paths_in(in, problem);
        if (problem == std::errc::no_such_file_or_directory) return true;
        return !problem && std::ranges::all_of(entries, [&](const fs::path& entry) {
            return std::ranges::count(names, entry.filename().string()) > 0;
        });
    };
    constexpr std::array outside{partial_records};
    const auto new_marker = name_of_new(partial_header_file).string();
    const std::array<std::string_view, 3> inside{partial_header_file, new_marker, partial_state_file};
    return has_only(folder, outside) && has_only(folder / partial_records, inside);
}

/// Throws UsageError if the folder has no marker, else as read_partial_header.
void require_marker(const fs::path& folder) {
    if (!has_marker(folder))
        throw UsageError(fmt::format("{}: exists already, and is not a run of convoy; choose another --out",
                                     folder.string()));
    read_partial_header(folder);
}

/// Removes the files of a run folder or of a partial run, and nothing else. The marker goes last, and stays
/// while a journal does: without it, no process would take the folder for a run's.
void clear_folder(const fs::path& folder) {
    const auto remove = [](const fs::path& file) {
        std::error_code ignored;
        fs::remove(file, ignored);
        fs::remove(name_of_new(file), ignored);
    };
    for (const auto name :
         {spec_file, environment_file, summary_file, operators_file, steps_file, epochs_file, system_file,
          updates_file, failures_file, label_histogram_file, trace_file, report_file, page_file, weights_file,
          predictions_file, predictions_picture_file, progress_file, partial_weights_before})
        remove(folder / name);
    const auto records = folder / partial_records;
    for (const auto name : {partial_weights_room, partial_losses}) remove(records / name);
    const JournalFolder journals(records);
    journals.remove();
    if (!journals.empty()) return;
    for (const auto name : {partial_state_file, partial_header_file}) remove(records / name);
    std::error_code ignored;
    fs::remove(records, ignored);  // not if something else is in it
}

/// Removes a run folder in whose place another was put. One that a killed process left may not be there.
void remove_replaced(const fs::path& folder) {
    if (!is_partial_run(folder) || read_partial_header(folder).state != PartialState::replaced) return;
    clear_folder(folder);
    ::rmdir(folder.c_str());  // not where something else is in it
}

/// The name of a replaced run folder on a file system that cannot exchange two names.
fs::path name_before(const fs::path& partial) {
    return partial.string() + "-before";
}

/// As rename(2). The target is an empty folder, which goes if it cannot be replaced.
int rename_over_empty(const fs::path& folder, const fs::path& target) {
    if (::rename(folder.c_str(), target.c_str()) == 0) return 0;
    const int reason = errno;
    ::rmdir(target.c_str());
    errno = reason;
    return -1;
}

}  // namespace

fs::path folder_above(const fs::path& folder) {
    const auto above = folder.parent_path();
    return above.empty() ? fs::path(".") : above;
}

void cannot_write(const fs::path& what, const std::string& reason) {
    throw OutputError(fmt::format("{}: cannot be written: {}", what.string(), reason));
}

fs::path partial_beside(const fs::path& run_folder) {
    const auto folder = run_folder.has_filename() ? run_folder : run_folder.parent_path();
    return folder.string() + std::string(partial_suffix);
}

std::optional<fs::path> run_folder_of_partial(fs::path partial) {
    if (!partial.has_filename()) partial = partial.parent_path();
    const auto name = partial.string();
    if (!name.ends_with(partial_suffix) || partial.filename() == partial_suffix) return std::nullopt;
    return name.substr(0, name.size() - partial_suffix.size());
}

fs::path partial_meant(const fs::path& named) {
    const auto folder = named.has_filename() ? named : named.parent_path();
    const auto beside = partial_beside(folder);
    const bool is_itself =
        has_marker(folder) || (!has_marker(beside) && run_folder_of_partial(folder).has_value());
    return is_itself ? folder : beside;
}

PartialFolder::PartialFolder(fs::path path, Open open) : path_(std::move(path)), lock_(take(open)) {}

FolderLock PartialFolder::take(Open open) const {
    bool made = false;
    try {
        FolderLock lock(path_, SymbolicLinks::refused, "another convoy process writes this run; wait for it",
                        [&] {
                            if (open == Open::existing) {
                                read_partial_header(path_);
                                return;
                            }
                            made = ::mkdir(path_.c_str(), 0755) == 0;
                            if (!made && errno != EEXIST) cannot_write(path_, std::strerror(errno));
                        });
        // One that was made is new, or somebody put something into it since.
        if (!is_hardly_begun(path_)) require_marker(path_);
        return lock;
    } catch (const Error&) {
        if (made) ::rmdir(path_.c_str());
        throw;
    }
}

bool PartialFolder::has_weights() const {
    return is_present(path_ / weights_file) || is_present(path_ / partial_weights_before);
}

bool PartialFolder::has_results() const noexcept {
    try {
        return has_weights() || journals().has_steps();
    } catch (const std::exception&) {
        return true;
    }
}

bool PartialFolder::publish(const fs::path& target) {
    int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
    // Some file systems (NFS among them) cannot refuse to replace. They replace an empty folder, and no
    // other: the one that stands for the name.
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
        failed = ::mkdir(target.c_str(), 0755);
        if (failed == 0) failed = rename_over_empty(path_, target);
    }
    if (failed != 0 && (errno == EEXIST || errno == ENOTEMPTY)) return false;
    if (failed != 0) cannot_write(target, std::strerror(errno));
    remove_replaced(name_before(path_));  // of a process that was killed in replace()
    path_ = target;
    return true;
}

void PartialFolder::replace(const fs::path& target) {
    // If this process is killed, the next one knows the old folder by this, and removes it.
    std::error_code problem;
    fs::create_directories(target / partial_records, problem);
    constexpr auto again = fs::copy_options::overwrite_existing;
    const auto marker = fs::path(partial_records) / partial_header_file;
    if (!problem) fs::copy_file(path_ / marker, target / marker, again, problem);
    if (problem) cannot_write(target, problem.message());
    write_state(target, PartialState::replaced);
    int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE);
    auto old = path_;
    // Some file systems (NFS among them) cannot exchange.
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
        old = name_before(path_);
        remove_replaced(old);
        failed = ::rename(target.c_str(), old.c_str());
        if (failed == 0) failed = ::rename(path_.c_str(), target.c_str());
    }
    if (failed != 0) cannot_write(target, std::strerror(errno));
    path_ = target;
    remove_replaced(old);
}

void PartialFolder::clear() const {
    clear_folder(path_);
}

void PartialFolder::remove() const {
    clear_folder(path_);
    ::rmdir(path_.c_str());  // not where something else is in it
}

}  // namespace convoy
