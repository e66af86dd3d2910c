#include "net/control_frames.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"

using convoy::ExitCode;
using convoy::FailureNotice;
using convoy::Hello;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("a hello is these bytes") {
    const Hello hello{.purpose = convoy::Purpose::data,
                      .wants_seal = true,
                      .wants_tls = true,
                      .world_size = 300,
                      .from_rank = 2,
                      .to_rank = 259,
                      .connection = 1,
                      .nonce = {std::byte{8}, std::byte{9}},
                      .proof = {std::byte{10}, std::byte{11}}};
    std::array<unsigned char, convoy::hello_bytes> expected{2, 1, 1, 0, 0, 0, 0, 0, 0x2C, 1, 0, 0, 0, 0,
                                                            0, 0, 2, 0, 0, 0, 0, 0, 0,    0, 3, 1, 0, 0,
                                                            0, 0, 0, 0, 1, 0, 0, 0, 0,    0, 0, 0, 8, 9};
    expected[72] = 10;
    expected[73] = 11;
    const auto bytes = convoy::encode_hello(hello);
    CHECK(std::memcmp(bytes.data(), expected.data(), expected.size()) == 0);
    CHECK(convoy::decode_hello(bytes, "x") == hello);
}

TEST_CASE("an impossible hello is refused") {
    const auto refused = [](const Hello& hello) {
        CHECK_THROWS_AS(convoy::decode_hello(convoy::encode_hello(hello), "x"), convoy::DataError);
    };
    refused({.world_size = 2, .from_rank = 2, .to_rank = 0});
    refused({.world_size = 2, .from_rank = 0, .to_rank = -1});
    refused({.world_size = -1, .from_rank = 0, .to_rank = 0});
    refused({.world_size = 2, .from_rank = 0, .to_rank = 1, .connection = -1});
    const Hello join{.purpose = convoy::Purpose::join, .world_size = 0, .from_rank = -1, .to_rank = -1};
    CHECK(convoy::decode_hello(convoy::encode_hello(join), "x") == join);
    refused({.purpose = convoy::Purpose::join, .world_size = 0, .from_rank = -2, .to_rank = -1});
    refused({.purpose = convoy::Purpose::join, .world_size = 2, .from_rank = 0, .to_rank = 1});
    auto bytes = convoy::encode_hello(join);
    bytes[GENERATE(0U, 1U, 2U, 3U, 7U)] = std::byte{7};
    CHECK_THROWS_AS(convoy::decode_hello(bytes, "x"), convoy::DataError);
}

TEST_CASE("a greeting and an answer are these bytes") {
    const convoy::Greeting greeting{
        .run = {std::byte{1}, std::byte{2}}, .nonce = {std::byte{3}}, .tls = true};
    auto greeted = convoy::encode_greeting(greeting);
    CHECK(greeted[0] == std::byte{1});
    CHECK(greeted[1] == std::byte{2});
    CHECK(greeted[16] == std::byte{3});
    CHECK(greeted[48] == std::byte{1});
    CHECK(convoy::decode_greeting(greeted, "x") == greeting);
    greeted[GENERATE(48U, 49U, 55U)] = std::byte{2};
    CHECK_THROWS_AS(convoy::decode_greeting(greeted, "x"), convoy::DataError);
    const convoy::Answer answer{.sealed = true, .proof = {std::byte{4}}};
    auto answered = convoy::encode_answer(answer);
    CHECK(answered[0] == std::byte{1});
    CHECK(answered[8] == std::byte{4});
    CHECK(convoy::decode_answer(answered, "x") == answer);
    answered[GENERATE(0U, 1U, 7U)] = std::byte{2};
    CHECK_THROWS_AS(convoy::decode_answer(answered, "x"), convoy::DataError);
}

TEST_CASE("a failure notice is these bytes, cut where it is too long") {
    const auto bytes = convoy::encode_failure({ExitCode::node_lost, "node 3: gone"});
    REQUIRE(bytes.size() == 13);
    CHECK(bytes[0] == std::byte{74});
    CHECK(std::memcmp(bytes.data() + 1, "node 3: gone", 12) == 0);
    CHECK(convoy::decode_failure(bytes, "x") == FailureNotice{ExitCode::node_lost, "node 3: gone"});
    CHECK(convoy::encode_failure({ExitCode::bug, std::string(5000, 'x')}).size() ==
          convoy::failure_max_payload_bytes);
}

TEST_CASE("a failure notice cannot write on the terminal what it likes") {
    CHECK(convoy::decode_failure(bytes_of("\x4A\x1b[2J\nnode\x80"), "x").reason == "?[2J?node?");
    CHECK_THROWS_AS(convoy::decode_failure({}, "x"), convoy::DataError);
    CHECK_THROWS_AS(
        convoy::decode_failure(std::vector<std::byte>(convoy::failure_max_payload_bytes + 1), "x"),
        convoy::DataError);
}

TEST_CASE("a failure is thrown as what it was") {
    CHECK_THROWS_AS(convoy::throw_failure({ExitCode::disagreement, ""}), convoy::DisagreementError);
    CHECK_THROWS_AS(convoy::throw_failure({ExitCode::deadline, ""}), convoy::DeadlineError);
    CHECK_THROWS_AS(convoy::throw_failure({ExitCode::node_lost, ""}), convoy::NodeLostError);
    CHECK_THROWS_AS(convoy::throw_failure({ExitCode::data, ""}), convoy::DataError);
    CHECK_THROWS_AS(convoy::throw_failure({ExitCode::bug, ""}), convoy::InternalError);
    CHECK_THROWS_AS(convoy::throw_failure({static_cast<ExitCode>(0), ""}), convoy::NodeLostError);
}
