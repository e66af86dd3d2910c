#include "net/session.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "base/hex_text.hpp"

using namespace convoy;

namespace {

template <class Bytes>
Bytes counted_from(int first) {
    Bytes bytes{};
    for (auto& byte : bytes) byte = static_cast<std::byte>(first++);
    return bytes;
}

std::span<const std::byte> key_bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

const Greeting greeting{.run = counted_from<RunId>(0), .nonce = counted_from<Nonce>(100)};

}  // namespace

// make_session_answers.py prints these.
TEST_CASE("proofs and keys of a join are the known answers") {
    const auto key = key_bytes("swordfish");
    const Hello hello{.purpose = Purpose::join,
                      .world_size = 0,
                      .from_rank = -1,
                      .to_rank = -1,
                      .nonce = counted_from<Nonce>(200)};
    CHECK(hex_text(proof_of_connector(key, greeting, hello)) ==
          "8536d6ec80b1ed34a83574b8f135f19a047e96a040323199bf3e7a2845a4f436");
    CHECK(hex_text(proof_of_acceptor(key, greeting, hello, true)) ==
          "eae9ef285ea486c98a1267ce00a82066279d290305c7a03ab242017e30d90e05");
    const auto keys = session_keys(key, greeting, hello, true);
    CHECK(hex_text(keys.to_acceptor) == "374e620e6bff4bef0fc0e563cb571fe4ff39cc37b1c6e6e9ffd4a527ee49d203");
    CHECK(hex_text(keys.to_connector) == "d93212988f80bc4ce122f182b2e70a2f0e40027feefad3b3185d0bfb555196de");
}

TEST_CASE("proofs and keys of a connection between nodes are the known answers") {
    const auto secret = secret_of_run(key_bytes("swordfish"), greeting.run);
    CHECK(hex_text(secret.key) == "8b35d2594d9700872a2d4c8231fd71ff1a2be7e2439c5ba266621c4af85a7fed");
    const Hello hello{.purpose = Purpose::data,
                      .wants_seal = true,
                      .world_size = 5,
                      .from_rank = 3,
                      .to_rank = 4,
                      .connection = 1,
                      .nonce = counted_from<Nonce>(200)};
    CHECK(hex_text(proof_of_connector(secret.key, greeting, hello)) ==
          "a79ffaecd2ddbdbbc552ab18c3674fc441762c09ff64e1632d00e5fddd07912d");
    CHECK(hex_text(proof_of_acceptor(secret.key, greeting, hello, true)) ==
          "2ee7012a1e35f7289f92f0eee06027af9e505dc16f196596668a02e32d4a4fe6");
    const auto keys = session_keys(secret.key, greeting, hello, true);
    CHECK(hex_text(keys.to_acceptor) == "83a347ef1752d1cdc5a84d9cd9e50dfbfb1edacffa0cdadf5460ba25110bbbfb");
    CHECK(hex_text(keys.to_connector) == "5c6b7f2c7ed21f38d348e965bb146948248830be8bd1d9036117aff4530008e5");
}

TEST_CASE("a proof does not hold for another word, side, key or seal") {
    const auto key = key_bytes("swordfish");
    const Hello hello{.world_size = 5, .from_rank = 3, .to_rank = 4};
    const auto proof = proof_of_connector(key, greeting, hello);
    auto other = hello;
    const auto field = GENERATE(0, 1, 2, 3, 4, 5, 6);
    if (field == 0) other.purpose = Purpose::join;
    if (field == 1) other.wants_seal = true;
    if (field == 2) other.world_size = 6;
    if (field == 3) other.from_rank = 2;
    if (field == 4) other.to_rank = 3;
    if (field == 5) other.connection = 1;
    if (field == 6) other.nonce[31] = std::byte{1};
    CHECK(proof != proof_of_connector(key, greeting, other));
    CHECK(proof != proof_of_connector(key_bytes("sardine"), greeting, hello));
    CHECK(proof != proof_of_connector(key, {.run = {}, .nonce = greeting.nonce}, hello));
    CHECK(proof != proof_of_connector(key, {.run = greeting.run, .nonce = {}}, hello));
    CHECK(proof != proof_of_acceptor(key, greeting, hello, false));
    CHECK(proof_of_acceptor(key, greeting, hello, true) != proof_of_acceptor(key, greeting, hello, false));
}
