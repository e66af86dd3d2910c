#include "report/epochs_follower.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/open_to_read.hpp"
#include "report/records_csv.hpp"

namespace convoy {
namespace {

constexpr std::size_t piece_bytes = 65536;

/// The whole lines in the next piece of a file; empty if there is none.
std::string lines_at(const Descriptor& opened, std::uint64_t place, const std::filesystem::path& file) {
    std::string piece(piece_bytes, '\0');
    const auto count = ::pread(opened.get(), piece.data(), piece.size(), static_cast<off_t>(place));
    if (count < 0) throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    piece.resize(static_cast<std::size_t>(count));
    const auto end = piece.rfind('\n') + 1;  // 0 if there is none
    if (end == 0 && piece.size() == piece_bytes)
        throw DataError(fmt::format("{}: has a line of more than {} bytes", file.string(), piece_bytes));
    piece.resize(end);
    return piece;
}

std::optional<Descriptor> opened_if_there(const std::filesystem::path& file) {
    try {
        return open_to_read(file, FileKinds::regular);
    } catch (const MissingFileError&) {
        return std::nullopt;
    }
}

}  // namespace

void EpochsFollower::look(const std::filesystem::path& file,
                          const std::function<void(const EpochRecord&)>& take) {
    const auto opened = opened_if_there(file);
    struct stat status {};
    if (!opened || ::fstat(opened->get(), &status) != 0) return;
    const bool is_same = status.st_dev == device_ && status.st_ino == inode_ &&
                         static_cast<std::uint64_t>(status.st_size) >= read_;
    if (!is_same) read_ = 0;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    while (true) {
        auto lines = lines_at(*opened, read_, file);
        if (lines.empty()) return;
        if (read_ == 0) {
            header_ = lines.substr(0, lines.find('\n') + 1);
        } else {
            lines.insert(0, header_);
        }
        std::istringstream in(lines);
        read_epochs_csv(in, file.string(), [&](const EpochRecord& row) {
            if (row.epoch <= last_epoch_) return;
            last_epoch_ = row.epoch;
            take(row);
        });
        read_ += lines.size() - (read_ == 0 ? 0 : header_.size());
    }
}

}  // namespace convoy
