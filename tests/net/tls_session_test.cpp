#include "net/tls_session.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "support/certificates.hpp"

using namespace convoy;
using Catch::Contains;

namespace {

/// Carries what one session has to send to another, and changes one bit of a byte on the way.
void carry(TlsSession& from, TlsSession& to, std::optional<std::size_t> changed = {}) {
    while (!from.outgoing().empty()) {
        const auto room = to.room();
        const auto count = std::min(room.size(), from.outgoing().size());
        std::ranges::copy(from.outgoing().first(count), room.begin());
        if (changed && *changed < count) room[*changed] ^= std::byte{4};
        from.sent(count);
        to.arrived(count);
        if (from.outgoing().empty()) return;
        FAIL("more than a session takes at once");
    }
}

struct TlsPair {
    TlsSession connector, acceptor;
    TlsPair(const TlsContext& of_connector, const TlsContext& of_acceptor, const std::string& host = "",
            std::uint64_t key_bytes = TlsSession::bytes_of_key)
        : connector(of_connector, TlsSide::connector, host, key_bytes),
          acceptor(of_acceptor, TlsSide::acceptor, "", key_bytes) {}
    void shake() {
        for (bool here = false, there = false; !here || !there;) {
            if (!here) here = connector.shake_hands();
            carry(connector, acceptor);
            if (!there) there = acceptor.shake_hands();
            carry(acceptor, connector);
        }
    }
};

std::vector<std::byte> some_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
    return bytes;
}

/// The files of a context that checks the other side.
TlsFiles files_of(const TestAuthority& authority, const std::string& name, const std::string& names,
                  bool valid = true) {
    auto files = authority.issue(name, names, valid);
    return {.certificate = files.certificate, .key = files.key, .authority = authority.certificate()};
}

}  // namespace

TEST_CASE("two sessions without files have the same binding, and carry bytes unread") {
    TlsPair pair{TlsContext(), TlsContext()};
    pair.shake();
    CHECK(pair.connector.binding() == pair.acceptor.binding());
    const auto sent = some_bytes(50'000);
    REQUIRE(pair.connector.encrypt(std::span(sent).first(48), std::span(sent).subspan(48)));
    const auto secret = pair.connector.outgoing();
    CHECK(std::ranges::search(secret, std::span(sent).first(16)).empty());
    carry(pair.connector, pair.acceptor);
    std::vector<std::byte> received(sent.size() + 1);
    CHECK(pair.acceptor.decrypt(received) == sent.size());
    received.pop_back();
    CHECK(received == sent);
    CHECK(pair.acceptor.decrypt(received) == 0);
    CHECK_FALSE(pair.acceptor.is_ended());
}

TEST_CASE("somebody between two sides has a session of another binding with each") {
    TlsPair here{TlsContext(), TlsContext()}, there{TlsContext(), TlsContext()};
    here.shake();
    there.shake();
    CHECK(here.connector.binding() != there.acceptor.binding());
}

TEST_CASE("each byte of a record that is changed on its way is found") {
    const auto sent = some_bytes(40);
    for (std::size_t changed = 0; changed < 40 + 22; ++changed) {
        TlsPair pair{TlsContext(), TlsContext()};
        pair.shake();
        REQUIRE(pair.connector.encrypt(sent));
        REQUIRE(pair.connector.outgoing().size() == 40 + 22);
        carry(pair.connector, pair.acceptor, changed);
        std::vector<std::byte> received(40);
        INFO("byte " << changed);
        std::size_t count = 0;
        try {
            count = pair.acceptor.decrypt(received);
        } catch (const TlsError&) {
        }
        CHECK(count == 0);
    }
}

TEST_CASE("bytes on their way stay in place while a session finds that others were changed") {
    TlsPair pair{TlsContext(), TlsContext()};
    pair.shake();
    const auto sent = some_bytes(4000);
    REQUIRE(pair.connector.encrypt(sent));
    carry(pair.connector, pair.acceptor, 100);
    REQUIRE(pair.acceptor.encrypt(sent));
    const auto on_way = pair.acceptor.outgoing();
    std::vector<std::byte> received(sent.size());
    CHECK_THROWS_AS(pair.acceptor.decrypt(received), TlsError);  // OpenSSL writes an alert
    CHECK(pair.acceptor.outgoing().data() == on_way.data());
    CHECK(pair.acceptor.outgoing().size() == on_way.size());
}

TEST_CASE("a new key comes after the bytes of a key, and nothing is lost") {
    TlsPair pair(TlsContext(), TlsContext(), "", 10'000);
    pair.shake();
    const auto sent = some_bytes(6000);
    std::size_t on_network = 0;
    for (int i = 0; i < 5; ++i) {
        REQUIRE(pair.connector.encrypt(sent));
        on_network += pair.connector.outgoing().size();
        carry(pair.connector, pair.acceptor);
        std::vector<std::byte> received(sent.size());
        CHECK(pair.acceptor.decrypt(received) == sent.size());
        CHECK(received == sent);
    }
    CHECK(on_network > 5 * (sent.size() + 22));  // the messages that change keys
}

TEST_CASE("certificates of one authority are taken, for a name and for an address") {
    const TemporaryFolder folder;
    const TestAuthority authority(folder.path(), "authority");
    const auto names = GENERATE("DNS:node.lab.example,IP:127.0.0.1", "DNS:*.lab.example,IP:127.0.0.1,IP:::1");
    const auto host = GENERATE("node.lab.example", "127.0.0.1");
    const TlsContext both(files_of(authority, "node", names));
    CHECK(both.checks_certificates());
    TlsPair pair(both, both, host);
    CHECK_NOTHROW(pair.shake());
}

TEST_CASE("a certificate of another name, another authority, or none, is refused by name") {
    const TemporaryFolder folder;
    const TestAuthority authority(folder.path(), "authority"), other(folder.path(), "other");
    const TlsContext ours(files_of(authority, "node", "DNS:node.example"));
    const auto refusal = [](const TlsContext& connector, const TlsContext& acceptor) {
        TlsPair pair(connector, acceptor, "node.example");
        try {
            pair.shake();
        } catch (const CertificateError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK(refusal(ours, ours) == "none");
    CHECK_THAT(refusal(ours, TlsContext(files_of(authority, "b", "DNS:b.example"))),
               Contains("its certificate is refused: hostname mismatch"));
    CHECK_THAT(refusal(ours, TlsContext(files_of(authority, "old", "DNS:node.example", false))),
               Contains("certificate has expired"));
    CHECK_THAT(refusal(ours, TlsContext(files_of(other, "o", "DNS:node.example"))),
               Contains("unable to get local issuer certificate"));
    CHECK_THAT(refusal(ours, TlsContext()), Contains("its certificate is refused: self-signed certificate"));
    // The side that listens asks for a certificate too.
    const TlsContext checks_nobody;
    const TlsContext of_other(files_of(other, "p", "DNS:p.example"));
    CHECK_THAT(refusal(checks_nobody, ours), Contains("its certificate is refused: self-signed certificate"));
    auto trusting = files_of(other, "q", "DNS:q.example");
    trusting.authority = authority.certificate();
    CHECK_THAT(refusal(TlsContext(trusting), ours),
               Contains("its certificate is refused: unable to get local issuer certificate"));
}

TEST_CASE("files that are no certificate or key are refused by name") {
    const TemporaryFolder folder;
    const TestAuthority authority(folder.path(), "authority");
    const auto ours = files_of(authority, "a", "DNS:a"), others = files_of(authority, "b", "DNS:b");
    const auto text = folder.path() / "text";
    std::ofstream(text) << "no certificate\n";
    std::filesystem::permissions(text, std::filesystem::perms::owner_read);
    const auto with = [&](auto member, const std::string& file) {
        auto files = ours;
        files.*member = file;
        return files;
    };
    CHECK_THROWS_AS(TlsContext(with(&TlsFiles::certificate, "/none")), MissingFileError);
    CHECK_THROWS_AS(TlsContext(with(&TlsFiles::key, "/none")), MissingFileError);
    CHECK_THROWS_AS(TlsContext(with(&TlsFiles::authority, "/none")), MissingFileError);
    for (const auto member : {&TlsFiles::certificate, &TlsFiles::key, &TlsFiles::authority})
        CHECK_THROWS_WITH(TlsContext(with(member, text.string())), Contains(text.string()));
    CHECK_THROWS_WITH(TlsContext(with(&TlsFiles::key, others.key)), Contains("b.key"));
    write_rsa_key(folder.path() / "rsa.key");
    CHECK_THROWS_WITH(TlsContext(with(&TlsFiles::key, (folder.path() / "rsa.key").string())),
                      Contains("rsa.key"));
    std::filesystem::permissions(ours.key, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    CHECK_THROWS_AS(TlsContext(ours), UsageError);
}
