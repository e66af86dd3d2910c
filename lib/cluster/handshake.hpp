#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// The side of a join that gives a proof.
enum class JoinSide { launcher, worker };

/// 128 random bits from the system's generator, as 32 hexadecimal digits. Nobody can guess them.
std::string random_token();

/// Proves that a side knows the token, without sending the token. The proof is the HMAC-SHA256 (RFC 2104),
/// with the token as its key, of the side and the nonces of both sides, as 64 hexadecimal digits. Nonces are
/// new for each join, so a recorded proof is worthless.
std::string join_proof(std::string_view token, JoinSide side, std::string_view launcher_nonce,
                       std::string_view worker_nonce);

/// Whether two proofs are equal. The time does not depend on the place of the first difference.
bool same_proof(std::string_view a, std::string_view b);

}  // namespace convoy
