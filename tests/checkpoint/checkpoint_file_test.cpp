#include "checkpoint/checkpoint_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/error_line.hpp"
#include "base/sha256.hpp"
#include "checkpoint/example.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// From make_checkpoint.py.
constexpr std::string_view known_bytes =
    "636f6e766f7943500400000001000000ab020000000000000700000000000000a76f646973747269627574696f6e5f69"
    "647840646464646464646464646464646464646464646464646464646464646464646464646464646464646464646464"
    "6464646464646464646464646464646464646464676f6e6581970101fa00000000fa00000000fa00000000fa00000000"
    "fa0000000000fa00000000fa00000000000002fa00000000fa00000000fa00000000fa00000000fa00000000fa000000"
    "00fa00000000fa00000000fa00000000fa00000000656d61726b73820c19012c656e6f64657381a574626573745f7661"
    "6c69646174696f6e5f6c6f7373f97c00781a65706f6368735f776974686f75745f696d70726f76656d656e7400696f70"
    "657261746f7273818900664d61744d756c6564656e7365fa4020000082fa3f800000fa3fc00000f667666f7277617264"
    "666d61746d756c83060708677265636f726473a66665706f6368738187000183fa3fc00000020383fa00000000000083"
    "fa000000000000fa3f000000fa00000000696f70657261746f727380657374657073806973756d6d6172696573819700"
    "01fa00000000fa00000000fa00000000fa00000000fa0000000000fa00000000fa00000000000003fa00000000fa0000"
    "0000fa00000000fa3e800000fa00000000fa00000000fa00000000fa00000000fa00000000fa00000000667379737465"
    "6d806574726163658064737465700372726573756d65645f66726f6d5f737465707381026672756e5f69647840626262"
    "626262626262626262626262626262626262626262626262626262626262626262626262626262626262626262626262"
    "626262626262626262626262626b747261696e696e675f69647840636363636363636363636363636363636363636363"
    "6363636363636363636363636363636363636363636363636363636363636363636363636363636363636374656e736f"
    "727336363061306566313565333931306165633266633162336164663637646664373337336466613739303437303435"
    "616333316136333737353931653038663037";

std::vector<std::byte> from_base_16(std::string_view text) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
    return bytes;
}

KeptCheckpoint known_checkpoint() {
    NodeCheckpoint node;
    node.step = 3;
    node.epoch.epoch = 1;
    node.epoch.train = {1.5, 2, 3};
    node.epoch.train_s = 0.5;
    node.so_far.steps = 3;
    node.so_far.checkpoint_s = 0.25;
    node.operators = {
        {RunPhase::train, "MatMul", "dense", 2.5, {1.0F, 1.5F}, {}, "forward", "matmul", WorkDone{6, 7, 8}}};
    for (const char letter : std::string_view("tensors"))
        node.tensors.push_back(static_cast<std::byte>(letter));
    KeptCheckpoint kept{.identity = {.run_id = std::string(64, 'b'),
                                     .training_id = std::string(64, 'c'),
                                     .distribution_id = std::string(64, 'd')},
                        .checkpoint = {}};
    NodeSummary gone;
    gone.node = 1;
    gone.steps = 2;
    kept.checkpoint.marks = {12, 300};
    kept.checkpoint.gone = {gone};
    kept.checkpoint.resumed_from_steps = {2};
    kept.checkpoint.nodes = {node};
    return kept;
}

std::string refusal(std::span<const std::byte> bytes) {
    return error_line<DataError>([&] { decode_checkpoint(bytes, "a.checkpoint"); });
}

/// With the digest that the content asks for, so that the parser gets to see it.
std::vector<std::byte> signed_again(std::vector<std::byte> bytes) {
    const auto content = std::span(bytes).first(bytes.size() - checkpoint_format::digest_bytes);
    const auto digest = sha256({reinterpret_cast<const char*>(content.data()), content.size()});
    for (std::size_t i = 0; i < digest.size(); ++i)
        bytes[content.size() + i] = static_cast<std::byte>(digest[i]);
    return bytes;
}

}  // namespace

TEST_CASE("a checkpoint has the bytes that its page says") {
    const auto bytes = from_base_16(known_bytes);
    CHECK(encode_checkpoint(known_checkpoint()) == bytes);
    CHECK(decode_checkpoint(bytes, "known") == known_checkpoint());
}

TEST_CASE("a checkpoint comes back as it was, with the tensors of one node or of each") {
    auto kept = example_checkpoint();
    CHECK(decode_checkpoint(encode_checkpoint(kept), "example") == kept);
    kept.checkpoint.nodes[1].tensors = {std::byte{9}};
    CHECK(decode_checkpoint(encode_checkpoint(kept), "example") == kept);
    kept.checkpoint.nodes[0].steps[0].loss = std::numeric_limits<double>::quiet_NaN();
    kept.checkpoint.nodes[0].validation.best_loss = std::numeric_limits<double>::infinity();
    const auto back = decode_checkpoint(encode_checkpoint(kept), "example").checkpoint.nodes[0];
    CHECK(std::isnan(back.steps[0].loss));
    CHECK(std::isinf(back.validation.best_loss));
}

TEST_CASE("a checkpoint that is cut short at any byte is refused") {
    const auto bytes = encode_checkpoint(example_checkpoint());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        INFO(length);
        CHECK_THAT(refusal(std::span(bytes).first(length)),
                   Catch::StartsWith("a.checkpoint: not a whole checkpoint: "));
    }
}

TEST_CASE("a checkpoint with any bit changed, or more behind it, is refused") {
    auto bytes = encode_checkpoint(example_checkpoint());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto bit = static_cast<std::byte>(1U << (at % 8));
        bytes[at] ^= bit;
        INFO(at);
        CHECK_FALSE(refusal(bytes).empty());
        bytes[at] ^= bit;
    }
    bytes.push_back(std::byte{0});
    CHECK_FALSE(refusal(bytes).empty());
}

TEST_CASE("lengths and states that cannot be are refused, whatever the digest says") {
    const auto good = encode_checkpoint(example_checkpoint());
    const auto with = [&good](std::size_t at, std::initializer_list<int> values) {
        auto bytes = good;
        for (const int value : values) bytes[at++] = static_cast<std::byte>(value);
        return refusal(signed_again(bytes));
    };
    CHECK(decode_checkpoint(signed_again(good), "same") == example_checkpoint());
    CHECK_THAT(with(8, {1}), Contains("version 1, expected 4"));
    CHECK_THAT(with(12, {0, 0, 0, 0}), Contains("0 tensor files"));
    CHECK_THAT(with(12, {255, 255, 255, 255}), Contains("4294967295 tensor files"));
    CHECK_THAT(with(12, {3}), Contains("not a whole checkpoint"));
    CHECK_THAT(with(16, {255, 255, 255, 255, 255, 255, 255, 255}),
               Contains("18446744073709551615 bytes expected"));
    CHECK_THAT(with(24, {255, 255, 255, 255, 255, 255, 255, 255}),
               Contains("18446744073709551615 bytes expected"));
    CHECK_THAT(with(24, {2}), Contains("1 bytes too many"));
    CHECK_THAT(with(32, {0x80}), Contains("its state"));
    auto apart = example_checkpoint();
    apart.checkpoint.nodes[1].step = 8;
    CHECK_THAT(refusal(encode_checkpoint(apart)), Contains("its nodes are at different steps"));
}
