#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// Which side of a join speaks.
enum class JoinSide { launcher, worker };

/// So many random bits that nobody guesses them, as 32 hexadecimal digits, from the system's generator.
std::string random_token();

/// Proof that a side knows the token, without telling it: HMAC-SHA256 (RFC 2104) under the token over the
/// side and both sides' nonces, as 64 hexadecimal digits. Fresh nonces make a recorded proof worthless.
std::string join_proof(std::string_view token, JoinSide side, std::string_view launcher_nonce,
                       std::string_view worker_nonce);

/// Whether two proofs are the same, in a time that does not depend on where they differ.
bool same_proof(std::string_view a, std::string_view b);

}  // namespace convoy
