#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace convoy {

/// The kinds of hash that publishers use for their files.
enum class HashKind : std::uint8_t { md5, sha256 };

/// A hash as its publisher prints it: lower-case hexadecimal digits.
struct Digest {
    HashKind kind = HashKind::sha256;
    std::string hex;
    bool operator==(const Digest&) const = default;
    [[nodiscard]] std::string text() const;  ///< as in "md5 8d4f..."
};

/// The hash of a file, and its size if the size is known.
struct FileIdentity {
    std::optional<std::uint64_t> bytes;
    Digest digest;
    bool operator==(const FileIdentity&) const = default;
};

/// Whether a text is a hash of this kind in lower-case hexadecimal digits.
bool is_digest(std::string_view hex, HashKind kind);

/// The hash of all bytes of a source. Throws the errors of reading.
Digest digest_of(ByteSource& source, HashKind kind);

/// The hash of a file, read in pieces. Throws MissingFileError.
Digest digest_of_file(const std::filesystem::path& file, HashKind kind);

}  // namespace convoy
