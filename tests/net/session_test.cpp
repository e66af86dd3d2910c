#include "net/session.hpp"

#include <array>
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
          "f39161f0b641bb4f97ade0cea3171aaaae717bbcef6786268cb167bdc54ba116");
    CHECK(hex_text(proof_of_acceptor(key, greeting, hello, true)) ==
          "542fca7123c5887ca589a431bb22ded4f28f388fb517835d82963a09ab8c7850");
    const auto keys = session_keys(key, greeting, hello, true);
    CHECK(hex_text(keys.to_acceptor) == "0132d99989cb31e3aecd19b9cc14582bc7013ee12f842b449180d366c875a468");
    CHECK(hex_text(keys.to_connector) == "cc9288551dc3ed7eb4b88a6ec061648e5d028ac06af44472713da017114dcbea");
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
          "c131a1e8a5c4ce5730eec185cffacf4ce6f282a7fa459e7e559d63e1b4b8f84b");
    CHECK(hex_text(proof_of_acceptor(secret.key, greeting, hello, true)) ==
          "2e3a8c0fc49d50ba79f5271c6e108abbfefeadf937e26dfe368edbe5716de8eb");
    const auto keys = session_keys(secret.key, greeting, hello, true);
    CHECK(hex_text(keys.to_acceptor) == "43f9e9e8c971d7fc6b050186eb6dce7c6b7b905c80178b7f2d4ef98b103da3c5");
    CHECK(hex_text(keys.to_connector) == "d90d237b554e394bc089757a5c5ef8a4e4dc7f3a420738a81f3265ff99d5d058");
}

TEST_CASE("proofs of a connection under TLS are the known answers") {
    const auto secret = secret_of_run(key_bytes("swordfish"), greeting.run);
    auto under_tls = greeting;
    under_tls.tls = true;
    const Hello hello{
        .world_size = 5, .from_rank = 3, .to_rank = 4, .connection = 1, .nonce = counted_from<Nonce>(200)};
    const auto binding = counted_from<std::array<std::byte, 32>>(50);
    CHECK(hex_text(proof_of_connector(secret.key, under_tls, hello, binding)) ==
          "c8edfcf54283fdb23995bd6edeedba643db72290a24e42c2e5ed0da098534d61");
    CHECK(hex_text(proof_of_acceptor(secret.key, under_tls, hello, false, binding)) ==
          "69849ad0670565d0563f459300221745be1bb6e6da2d84561bdbe211df5ee4c6");
}

TEST_CASE("a proof does not hold for another word, side, key or seal") {
    const auto key = key_bytes("swordfish");
    const Hello hello{.world_size = 5, .from_rank = 3, .to_rank = 4};
    const auto proof = proof_of_connector(key, greeting, hello);
    auto other = hello;
    const auto field = GENERATE(0, 1, 2, 3, 4, 5, 6, 7);
    if (field == 0) other.purpose = Purpose::join;
    if (field == 1) other.wants_seal = true;
    if (field == 2) other.world_size = 6;
    if (field == 3) other.from_rank = 2;
    if (field == 4) other.to_rank = 3;
    if (field == 5) other.connection = 1;
    if (field == 6) other.nonce[31] = std::byte{1};
    if (field == 7) other.wants_tls = true;
    CHECK(proof != proof_of_connector(key, greeting, other));
    CHECK(proof != proof_of_connector(key, greeting, hello, counted_from<std::array<std::byte, 32>>(50)));
    CHECK(proof !=
          proof_of_connector(key, {.run = greeting.run, .nonce = greeting.nonce, .tls = true}, hello));
    CHECK(proof != proof_of_connector(key_bytes("sardine"), greeting, hello));
    CHECK(proof != proof_of_connector(key, {.run = {}, .nonce = greeting.nonce}, hello));
    CHECK(proof != proof_of_connector(key, {.run = greeting.run, .nonce = {}}, hello));
    CHECK(proof != proof_of_acceptor(key, greeting, hello, false));
    CHECK(proof_of_acceptor(key, greeting, hello, true) != proof_of_acceptor(key, greeting, hello, false));
}
