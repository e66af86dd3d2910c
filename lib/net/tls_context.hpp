#pragma once

#include <memory>
#include <string>

namespace convoy {

/// Files in PEM's form that a user gives for TLS. Each text is a path, or empty.
struct TlsFiles {
    std::string certificate;  ///< of this machine, and those between it and the authority; with a key
    std::string key;          ///< its private key
    /// Certificates of the authorities that the other side must have its certificate of. Without it, no
    /// certificate is checked: the proofs of the handshake cover the session (session.hpp).
    std::string authority;
    bool operator==(const TlsFiles&) const = default;
};

/// What a process needs for TLS 1.3: a certificate, its key, and whom it trusts. A value that is cheap to
/// copy. One thread at a time may use its copies.
class TlsContext {
  public:
    /// Without a certificate it makes one, which lives in memory and goes with the context. Throws
    /// MissingFileError if a file cannot be opened, DataError if it has no certificate or key, or if the two
    /// do not fit, UsageError if others than its owner and group may read the key.
    explicit TlsContext(const TlsFiles& files = {});
    /// Whether the other side's certificate is checked.
    [[nodiscard]] bool checks_certificates() const;

  private:
    friend class TlsSession;
    struct State;
    std::shared_ptr<const State> state_;
};

}  // namespace convoy
