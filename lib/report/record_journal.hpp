#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "measure/records.hpp"

/// The journal of one node's records, which a run appends to while it runs. PARTIAL_RUN.md has the format.
namespace convoy {

namespace journal_format {
inline constexpr std::string_view magic = "convoyRJ";
inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t header_bytes = 12;        ///< magic and version
inline constexpr std::size_t frame_header_bytes = 16;  ///< length, kind, check
inline constexpr std::size_t check_bytes = 8;          ///< first digits of the SHA-256 of the rest of a frame
inline constexpr std::uint32_t most_frame_bytes = std::uint32_t{64} << 20U;
inline constexpr std::size_t rows_in_a_frame = 512;
}  // namespace journal_format

/// The kind of the records of a frame. A set of kinds is a sum of them.
enum class RecordKind : std::uint32_t {
    operators = 1,
    steps = 2,
    epochs = 4,
    system = 8,
    trace = 16,
    summaries = 32,
    updates = 64,
};
/// All kinds of a run's tables: all but traces.
inline constexpr std::uint32_t table_kinds = 1 + 2 + 4 + 8 + 32 + 64;

/// Appends records to a journal, which is made if it does not exist. Records of one kind keep their order.
/// Throws OutputError, also if rows are too large for a frame; then the journal has what it had before.
void append_to_journal(const std::filesystem::path& file, NodeRecords records);

/// Reads a journal from its begin, with one frame in memory. A journal that a killed process left may end in
/// a part of a frame, which counts as its end (cut_off). A damaged frame counts as the end too (torn, but not
/// cut_off).
class JournalReader {
  public:
    /// limit: bytes behind it are ignored. A file that does not exist is an empty journal. Throws DataError
    /// if the file does not begin as a journal, MissingFileError if it is no regular file or cannot be
    /// opened.
    explicit JournalReader(const std::filesystem::path& file,
                           std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

    /// The records of the next frame of one of these kinds; absent at the end.
    std::optional<NodeRecords> next(std::uint32_t kinds);
    std::optional<NodeRecords> next(RecordKind kind) { return next(static_cast<std::uint32_t>(kind)); }

    /// Goes on reading behind so many bytes, as position() has told them of this journal before; it must not
    /// be larger than size(). 0: nothing changes.
    void go_to(std::uint64_t position) { position_ = std::max(position_, position); }

    /// The bytes up to the end of the last frame that was read.
    [[nodiscard]] std::uint64_t position() const { return position_; }
    /// The bytes of the journal, at most the limit.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Whether something that is no frame stands behind position(). Call it at the end.
    [[nodiscard]] bool torn() const { return position_ < size_; }
    /// Whether the begin of a frame stands there, as a writer leaves it that was killed, or is at work. A
    /// damaged length looks the same if it points behind the end. Call it at the end.
    [[nodiscard]] bool cut_off() const { return cut_off_; }

  private:
    struct Frame;
    /// The head of the frame at position_; absent if there is none.
    std::optional<Frame> head();

    std::unique_ptr<std::istream> in_;  ///< null: there is no such file
    std::uint64_t size_ = 0, position_ = 0;
    bool cut_off_ = false;
};

/// The bytes of the journal up to the end of its last whole frame, at most `limit`.
std::uint64_t whole_bytes(const std::filesystem::path& journal,
                          std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

}  // namespace convoy
