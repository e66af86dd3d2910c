#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/digest.hpp"

namespace convoy {

/// The address of a file, or of a folder of files, from which convoy fetches (FETCHING.md): http, https,
/// webhdfs (the REST service of Hadoop's file system) or swebhdfs (the same over TLS).
class DataAddress {
  public:
    /// Throws DataError, which says what is wrong with the address, and shows no part of it that may be
    /// secret: users, passwords and credentials in the query are refused, since specs are in results.
    explicit DataAddress(const std::string& text);

    /// The address for messages, without query and hash.
    [[nodiscard]] const std::string& shown() const { return shown_; }
    /// The whole address without the hash, for a manifest.
    [[nodiscard]] std::string text() const;
    /// The hash and the size behind the address, as in #sha256=HEX&bytes=N. Absent if there is no hash.
    [[nodiscard]] const std::optional<FileIdentity>& identity() const { return identity_; }
    /// The last part of the path; empty if the path ends in a slash.
    [[nodiscard]] std::string file_name() const;
    /// The address of a file in the folder of this address. name: by the rule file_names.
    [[nodiscard]] DataAddress file(const std::string& name) const;

    /// Whether an offset into the file is a part of the request's address, and no field of its header.
    [[nodiscard]] bool has_offset_in_address() const { return is_webhdfs_; }
    /// The http(s) address to ask for the bytes of the file from `offset` on, which is 0 unless
    /// has_offset_in_address(). token: a delegation token of Hadoop, for a namenode only; empty: none.
    [[nodiscard]] std::string request(std::uint64_t offset, std::string_view token = {}) const;

  private:
    void take_query(const std::string& query);
    void take_fragment(const std::string& fragment);

    bool is_webhdfs_ = false;
    std::string scheme_, place_, path_, query_;  ///< http or https; HOST or HOST:PORT
    std::string shown_;
    std::optional<FileIdentity> identity_;
};

}  // namespace convoy
