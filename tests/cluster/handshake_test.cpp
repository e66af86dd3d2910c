#include <catch2/catch.hpp>
#include <set>

#include "cluster/handshake.hpp"

using convoy::join_proof;
using convoy::JoinSide;
using convoy::same_proof;

// The digests are Python's: hmac.new(b"secret", b"convoy join worker 0011 aabb", hashlib.sha256).hexdigest()
TEST_CASE("a proof is HMAC-SHA256 over side and nonces") {
    CHECK(join_proof("secret", JoinSide::worker, "0011", "aabb") ==
          "21d562a5f5f7e0523b5ab9a0e4b106ff88fd107990339bc2bd1123d3eca1723a");
    CHECK(join_proof("secret", JoinSide::launcher, "0011", "aabb") ==
          "332f020cf606a3aff236718b638d0748ddeadef39a71cedebc12bd1392459753");
}

TEST_CASE("proofs are the same only where every digit is") {
    CHECK(same_proof("abcd", "abcd"));
    CHECK_FALSE(same_proof("abcd", "abce"));
    CHECK_FALSE(same_proof("abcd", "abc"));
    CHECK_FALSE(same_proof("", "a"));
}

TEST_CASE("tokens do not repeat") {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) tokens.insert(convoy::random_token());
    CHECK(tokens.size() == 100);
    CHECK(tokens.begin()->size() == 32);
}
