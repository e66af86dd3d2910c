#include "net/session.hpp"

#include <string_view>
#include <vector>

#include "net/frame.hpp"

namespace convoy {

namespace {

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

/// The name of a digest's purpose, with a zero byte behind it.
std::vector<std::byte> labelled(std::string_view label) {
    std::vector<std::byte> bytes;
    append(bytes, std::as_bytes(std::span(label)));
    bytes.push_back(std::byte{0});
    return bytes;
}

/// All that is said before the proof of the connector.
std::vector<std::byte> transcript(std::string_view label, const Greeting& greeting, const Hello& hello,
                                  std::span<const std::byte> binding) {
    auto bytes = labelled(label);
    bytes.push_back(static_cast<std::byte>(frame_version));
    bytes.push_back(static_cast<std::byte>(frame_version >> 8U));
    append(bytes, encode_greeting(greeting));
    const auto said = encode_hello(hello);
    append(bytes, std::span(said).first(hello_bytes - sizeof(Hmac)));
    append(bytes, binding);
    return bytes;
}

Hmac digest_with_seal(std::span<const std::byte> key, std::string_view label, const Greeting& greeting,
                      const Hello& hello, bool sealed, std::span<const std::byte> binding) {
    auto bytes = transcript(label, greeting, hello, binding);
    bytes.push_back(static_cast<std::byte>(sealed));
    return hmac_sha256(key, bytes);
}

}  // namespace

RunId random_run_id() {
    RunId run;
    fill_with_random(run);
    return run;
}

RunSecret secret_of_run(std::span<const std::byte> token, const RunId& run) {
    auto bytes = labelled("convoy run");
    append(bytes, run);
    return {.run = run, .key = hmac_sha256(token, bytes)};
}

Hmac proof_of_connector(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                        std::span<const std::byte> binding) {
    return hmac_sha256(key, transcript("convoy connector", greeting, hello, binding));
}

Hmac proof_of_acceptor(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                       bool sealed, std::span<const std::byte> binding) {
    return digest_with_seal(key, "convoy acceptor", greeting, hello, sealed, binding);
}

SessionKeys session_keys(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                         bool sealed) {
    return {.to_acceptor = digest_with_seal(key, "convoy to acceptor", greeting, hello, sealed, {}),
            .to_connector = digest_with_seal(key, "convoy to connector", greeting, hello, sealed, {})};
}

}  // namespace convoy
