#include "base/hmac.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/hex_text.hpp"

using namespace convoy;

namespace {

std::string hmac(std::string_view key, std::string_view message) {
    return hex_text(hmac_sha256(std::as_bytes(std::span(key)), std::as_bytes(std::span(message))));
}

}  // namespace

TEST_CASE("hmac_sha256 gives the known answers of RFC 4231") {
    CHECK(hmac(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hmac("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("digests are the same only where every byte is") {
    Hmac one{}, other{};
    CHECK(same_hmac(one, other));
    const auto place = GENERATE(0, 15, 31);
    other.at(static_cast<std::size_t>(place)) = std::byte{1};
    CHECK_FALSE(same_hmac(one, other));
}

TEST_CASE("random bytes do not repeat") {
    std::set<Hmac> found;
    for (int i = 0; i < 100; ++i) {
        Hmac bytes{};
        fill_with_random(bytes);
        found.insert(bytes);
    }
    CHECK(found.size() == 100);
}
