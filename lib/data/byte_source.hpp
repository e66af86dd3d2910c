#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

/// A file that is open for reading; closed with the object. Safe to read from several threads.
class ReadOnlyFile {
  public:
    /// Throws MissingFileError where it cannot be opened or is no regular file.
    explicit ReadOnlyFile(const std::filesystem::path& file);
    ReadOnlyFile(const ReadOnlyFile&) = delete;
    ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;
    ReadOnlyFile(ReadOnlyFile&& other) noexcept;
    ReadOnlyFile& operator=(ReadOnlyFile&&) = delete;
    ~ReadOnlyFile();

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }  ///< bytes, when it was opened

    /// Fills into from offset on; fewer bytes only where the file ends. Throws DataError where it cannot be
    /// read.
    [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> into) const;

  private:
    std::string name_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

/// Bytes that come in order, from a file, from memory or out of a gzip stream.
class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    ByteSource(ByteSource&&) = delete;
    ByteSource& operator=(ByteSource&&) = delete;
    virtual ~ByteSource() = default;

    /// What error messages call it.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// It cannot give more bytes than this in all: a header that asks for more is wrong, before anything is
    /// allocated.
    [[nodiscard]] virtual std::uint64_t most_bytes() const = 0;
    /// Fills into; fewer bytes only at the end. Throws DataError where the bytes are damaged.
    virtual std::size_t read(std::span<std::uint8_t> into) = 0;
};

/// Fills all of into with what errors call `what`. Throws DataError where fewer bytes are left.
void read_exactly(ByteSource& source, std::span<std::uint8_t> into, std::string_view what);

/// Whether there is a file; not where that cannot be told.
bool is_there(const std::filesystem::path& file);

/// The bytes of a file. Throws MissingFileError.
std::unique_ptr<ByteSource> file_source(const std::filesystem::path& file);

/// Bytes that are in memory and stay there as long as the source.
std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::uint8_t> bytes);

/// What a gzip stream (RFC 1952, one member) holds, inflated piece by piece. Reading throws DataError where
/// the stream is damaged, ends early, fails its checksum or is followed by other bytes.
std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> compressed);

}  // namespace convoy
