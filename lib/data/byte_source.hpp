#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace convoy {

/// A file that is open for reading. Several threads may read at the same time.
class ReadOnlyFile {
  public:
    /// Throws MissingFileError if the file cannot be opened or is not a regular file.
    explicit ReadOnlyFile(const std::filesystem::path& file);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }  ///< in bytes, when the file was opened

    /// Reads bytes from `offset` until `into` is full or the file ends. Returns the number of bytes. Throws
    /// DataError if the file cannot be read.
    [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> into) const;

  private:
    std::string name_;
    Descriptor opened_;
    std::uint64_t size_ = 0;
};

/// A sequence of bytes from a file, from memory or from a gzip stream.
class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    ByteSource(ByteSource&&) = delete;
    ByteSource& operator=(ByteSource&&) = delete;
    virtual ~ByteSource() = default;

    /// The name of the source in errors.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The largest number of bytes that the source can give in total. A reader rejects a header that needs
    /// more bytes, before it allocates memory.
    [[nodiscard]] virtual std::uint64_t most_bytes() const = 0;
    /// Reads bytes until `into` is full or the source ends. Returns the number of bytes. Throws DataError if
    /// the bytes are damaged.
    virtual std::size_t read(std::span<std::uint8_t> into) = 0;
};

/// Fills all of into with what errors call `what`. Throws DataError where fewer bytes are left.
void read_exactly(ByteSource& source, std::span<std::uint8_t> into, std::string_view what);

/// Whether there is a file; not where that cannot be told.
bool is_there(const std::filesystem::path& file);

/// The form in which a file exists: FILE, or else FILE.gz. Absent if neither exists.
std::optional<std::filesystem::path> existing_form(const std::filesystem::path& file);

/// Whether the name of a file ends in .gz; such a file is inflated.
bool is_gzip(const std::filesystem::path& file);

/// The bytes of a file. Throws MissingFileError.
std::unique_ptr<ByteSource> file_source(const std::filesystem::path& file);

/// The bytes of a buffer, which must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::uint8_t> bytes);

/// The inflated bytes of a gzip stream (RFC 1952, one member), piece by piece. Reading throws DataError if
/// the stream is damaged, ends early, has a wrong checksum or is followed by other bytes.
std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> compressed);

/// The bytes of a file, inflated if is_gzip. Throws MissingFileError.
std::unique_ptr<ByteSource> inflated_file(const std::filesystem::path& file);

}  // namespace convoy
