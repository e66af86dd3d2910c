#include "paper/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/name_rule.hpp"
#include "paper/archive_format.hpp"

namespace convoy {
namespace {

struct FreeReader {
    void operator()(archive* opened) const { archive_read_free(opened); }
};
struct FreeWriter {
    void operator()(archive* opened) const { archive_write_free(opened); }
};
struct FreeEntry {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

std::string problem_of(archive* opened) {
    const char* text = archive_error_string(opened);
    return text == nullptr ? "cannot be read" : text;
}

/// The content of the member whose header was read last.
std::string content_of(archive* opened, const std::string& name, std::size_t most_bytes) {
    std::string content;
    std::vector<char> piece(std::size_t{1} << 16U);
    while (true) {
        const auto got = archive_read_data(opened, piece.data(), piece.size());
        if (got < 0) throw DataError(fmt::format("{}: damaged archive: {}", name, problem_of(opened)));
        if (got == 0) return content;
        content.append(piece.data(), static_cast<std::size_t>(got));
        if (content.size() > most_bytes)
            throw DataError(fmt::format("{}: more than {} bytes", name, most_bytes));
    }
}

/// The path of a member. Throws DataError if it is no regular file, or its path is not allowed.
std::string checked_path(archive_entry* entry, const std::string& source) {
    const char* given = archive_entry_pathname(entry);
    std::string path = given == nullptr ? "" : given;
    const bool links = archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
    if (links || archive_entry_filetype(entry) != AE_IFREG)
        throw DataError(fmt::format("{}: \"{}\" is no regular file", source, path));
    if (!is_archive_path(path))
        throw DataError(fmt::format("{}: \"{}\" is no file of an archive of convoy", source, path));
    return path;
}

/// The end of the packed archive grows by each piece that libarchive hands out.
la_ssize_t append_piece(archive* /*opened*/, void* packed, const void* piece, std::size_t bytes) {
    static_cast<std::string*>(packed)->append(static_cast<const char*>(piece), bytes);
    return static_cast<la_ssize_t>(bytes);
}

void require(int state, archive* opened) {
    if (state != ARCHIVE_OK) throw InternalError("libarchive cannot pack: " + problem_of(opened));
}

void pack_file(archive* packer, const std::string& path, const std::string& content) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), path == reproduce_file ? 0755 : 0644);
    archive_entry_set_mtime(entry.get(), 0, 0);
    require(archive_write_header(packer, entry.get()), packer);
    const auto written = archive_write_data(packer, content.data(), content.size());
    if (written != static_cast<la_ssize_t>(content.size()))
        throw InternalError("libarchive cannot pack: " + problem_of(packer));
}

void require_bounds(const ArchiveFiles& files) {
    std::size_t bytes = 0;
    for (const auto& [path, content] : files) {
        if (!is_archive_path(path)) throw InternalError("an archive cannot hold " + path);
        if (content.size() > most_archived_file_bytes)
            throw UsageError(fmt::format("{}: is larger than {} bytes, too large for an archive", path,
                                         most_archived_file_bytes));
        bytes += content.size();
    }
    if (bytes > most_unpacked_bytes || files.size() > most_archived_files)
        throw UsageError(
            fmt::format("the archive would have {} files of {} bytes; at most {} of {} are allowed",
                        files.size(), bytes, most_archived_files, most_unpacked_bytes));
}

}  // namespace

std::string archive_path_of(std::string_view run_folder, std::string_view file) {
    return fmt::format("{}/{}/{}", archive_runs_folder, run_folder, file);
}

bool is_archive_path(std::string_view path) {
    if (std::ranges::count(archive_files, path) > 0) return true;
    if (!path.starts_with(archive_runs_folder)) return false;
    path.remove_prefix(archive_runs_folder.size());
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    // A run's folder has the name of its run and its identity: longer than either.
    constexpr NameRule run_folders{.others = file_names.others, .longest = 2 * file_names.longest};
    return run_folders.allows(path.substr(0, slash)) &&
           std::ranges::count(archive_run_files, path.substr(slash + 1)) > 0;
}

std::string pack_archive(const ArchiveFiles& files) {
    require_bounds(files);
    std::string packed;
    const std::unique_ptr<archive, FreeWriter> packer(archive_write_new());
    if (!packer) throw InternalError("libarchive cannot start");
    require(archive_write_add_filter_gzip(packer.get()), packer.get());
    // Else gzip's header has the time.
    require(archive_write_set_filter_option(packer.get(), "gzip", "timestamp", nullptr), packer.get());
    require(archive_write_set_format_ustar(packer.get()), packer.get());
    // No zeros behind the end of the compressed bytes, which a tape would need.
    require(archive_write_set_bytes_in_last_block(packer.get(), 1), packer.get());
    require(archive_write_open(packer.get(), &packed, nullptr, append_piece, nullptr), packer.get());
    for (const auto& [path, content] : files) pack_file(packer.get(), path, content);
    require(archive_write_close(packer.get()), packer.get());
    if (packed.size() > most_archive_bytes)
        throw UsageError(fmt::format("the archive would have {} bytes; at most {} are allowed", packed.size(),
                                     most_archive_bytes));
    return packed;
}

ArchiveFiles unpack_archive(std::span<const std::byte> bytes, const std::string& source) {
    if (bytes.size() > most_archive_bytes)
        throw DataError(fmt::format("{}: more than {} bytes", source, most_archive_bytes));
    const std::unique_ptr<archive, FreeReader> opened(archive_read_new());
    if (!opened) throw InternalError("libarchive cannot start");
    archive_read_support_filter_gzip(opened.get());
    archive_read_support_format_tar(opened.get());
    if (archive_read_open_memory(opened.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        throw DataError(fmt::format("{}: is no archive: {}", source, problem_of(opened.get())));
    ArchiveFiles files;
    std::size_t total = 0;
    archive_entry* entry = nullptr;
    int state = ARCHIVE_OK;
    while ((state = archive_read_next_header(opened.get(), &entry)) == ARCHIVE_OK) {
        const auto path = checked_path(entry, source);
        if (files.size() == most_archived_files)
            throw DataError(fmt::format("{}: more than {} files", source, most_archived_files));
        const auto room = std::min(most_archived_file_bytes, most_unpacked_bytes - total);
        auto content = content_of(opened.get(), fmt::format("{}:{}", source, path), room);
        total += content.size();
        if (!files.emplace(path, std::move(content)).second)
            throw DataError(fmt::format("{}: \"{}\" is in it twice", source, path));
    }
    if (state != ARCHIVE_EOF)
        throw DataError(fmt::format("{}: damaged archive: {}", source, problem_of(opened.get())));
    return files;
}

}  // namespace convoy
