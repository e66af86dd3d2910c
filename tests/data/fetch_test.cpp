#include "data/fetch.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <future>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "data/http_server.hpp"
#include "data/part_file.hpp"
#include "data/temporary_folder.hpp"
#include "data/web_hdfs_servers.hpp"
#include "support/without_call.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Requests = std::vector<std::string>;

namespace {

std::string some_bytes(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * i % 253);
    return bytes;
}

const std::string served_content = some_bytes(100'000);
const std::map<std::string, ServedFile> no_files;

/// A file that is to be fetched from some of a server's paths, as if its size were published or not.
struct Case {
    explicit Case(std::map<std::string, ServedFile> files, Requests paths = {"/a"}, bool sized = true)
        : Case(std::make_unique<HttpServer>(std::move(files)), paths, sized) {}
    explicit Case(HttpServer::Handler handler, bool sized = true)
        : Case(std::make_unique<HttpServer>(std::move(handler)), {"/a"}, sized) {}
    Case(std::unique_ptr<HttpServer> own, const Requests& paths, bool sized)
        : owned(std::move(own)), server(*owned) {
        options.pause = [this](Seconds length) { pauses.push_back(length.count()); };
        options.patience = Seconds(0);
        file.name = "a.gz";
        file.identity.digest = {HashKind::sha256, sha256(served_content)};
        if (sized) file.identity.bytes = served_content.size();
        for (const auto& path : paths) file.mirrors.push_back(server.address(path));
    }

    FetchOutcome fetch() { return fetch_file(file, folder.path() / "set", options); }
    [[nodiscard]] std::filesystem::path target() const { return folder.path() / "set" / "a.gz"; }
    [[nodiscard]] std::filesystem::path part() const { return folder.path() / "set" / "a.gz.part"; }
    [[nodiscard]] bool clean() const { return !exists(part()) && read_text(target()) == served_content; }
    [[nodiscard]] bool nothing_left() const { return !exists(part()) && !exists(target()); }

    EnvironmentVariable no_proxy{"no_proxy", "*"};
    TemporaryFolder folder;
    std::unique_ptr<HttpServer> owned;
    HttpServer& server;
    ManifestFile file;
    FetchOptions options;
    std::vector<double> pauses = {};  ///< in seconds
};

/// Answers each request as the next of these says; the last of them also the others.
HttpServer::Handler in_turn(std::vector<HttpServer::Handler> handlers) {
    return [handlers = std::move(handlers), next = std::size_t{0}](const HttpRequest& request) mutable {
        const auto which = std::min(next++, handlers.size() - 1);
        return handlers[which](request);
    };
}

HttpServer::Handler always(const std::string& status, const std::string& fields = {}) {
    return [=](const HttpRequest&) -> HttpAnswer { return {http_answer(status, "no", fields)}; };
}

HttpServer::Handler serves(const ServedFile& file) {
    return [=](const HttpRequest& request) -> HttpAnswer { return {file_answer(file, request)}; };
}

}  // namespace

TEST_CASE("a file is fetched whole and only once") {
    Case a({{"/a", {served_content}}});
    std::vector<std::uint64_t> told;
    a.options.progress = [&](const FetchProgress& progress) {
        CHECK(progress.file == "a.gz");
        CHECK(progress.total == served_content.size());
        told.push_back(progress.bytes);
    };
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(std::is_sorted(told.begin(), told.end()));
    REQUIRE_FALSE(told.empty());
    CHECK(told.back() == served_content.size());
    CHECK(a.fetch() == FetchOutcome::already_there);
    CHECK(a.server.requests() == Requests{"/a"});
}

TEST_CASE("a damaged file is replaced by a fetched one") {
    Case a({{"/a", {served_content}}});
    a.folder.write("set/a.gz", "damaged");
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("a broken transfer goes on where it broke off") {
    Case a({{"/a", {served_content, true, 30'000}}});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a from 60000", "/a from 90000"});
    CHECK(a.pauses.empty());  // each attempt got further
}

TEST_CASE("another mirror goes on where one broke off") {
    Case a({{"/b", {served_content, true, 40'000}}, {"/c", {served_content}}}, {"/a", "/b", "/c"});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/b", "/c from 40000"});
}

TEST_CASE("a later run goes on with what an earlier one left") {
    for (const bool sized : {true, false}) {
        Case a({{"/a", {served_content}}}, {"/a"}, sized);
        a.folder.write("set/a.gz.part", served_content.substr(0, 77'000));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a from 77000"});
    }
}

TEST_CASE("a whole part needs only its name") {
    Case a(no_files);
    a.folder.write("set/a.gz.part", served_content);
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests().empty());
}

TEST_CASE("a server without ranges sends the file again") {
    Case a({{"/a", {served_content, false, std::nullopt}}});
    a.folder.write("set/a.gz.part", served_content.substr(0, 77'000));
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a from 77000", "/a"});
}

TEST_CASE("a part that cannot be completed is fetched from scratch") {
    for (const bool sized : {true, false}) {
        for (const auto& wrong : {some_bytes(500).substr(100), served_content + "more",
                                  std::string(served_content.size(), 'x')}) {
            Case a({{"/a", {served_content}}}, {"/a"}, sized);
            a.folder.write("set/a.gz.part", wrong);
            CHECK(a.fetch() == FetchOutcome::fetched);
            CHECK(a.clean());
        }
    }
}

TEST_CASE("a file with the wrong hash or size is refused and nothing of it stays") {
    auto flipped = served_content;
    flipped[50'000] = static_cast<char>(flipped[50'000] ^ 1);
    for (const auto& wrong :
         {flipped, served_content + "z", served_content.substr(1), std::string("<html>"), std::string()}) {
        CAPTURE(wrong.size());
        Case a({{"/a", {wrong}}});
        CHECK_THROWS_AS(a.fetch(), DataError);
        CHECK(a.nothing_left());
        CHECK_THROWS_WITH(a.fetch(), Contains(a.target().string()) && Contains("refused") &&
                                         Contains(a.server.address("/a")));
    }
    Case a({{"/a", {flipped}}, {"/b", {served_content}}}, {"/a", "/b"});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("a file that no mirror has is an error that names them") {
    Case a(no_files, {"/a", "/b"});
    CHECK_THROWS_AS(a.fetch(), MissingFileError);
    CHECK(a.nothing_left());
    CHECK_THROWS_WITH(a.fetch(),
                      Contains(a.server.address("/b")) && Contains("404") && Contains("0 bytes are kept"));
}

TEST_CASE("a mirror that sends nothing more is given up, and what came is kept") {
    Case a({{"/a", {served_content, false, 1000}}});
    a.file.mirrors.push_back(a.server.address("/none"));
    CHECK_THROWS_WITH(a.fetch(), Contains("bytes are kept: run the command again"));
    CHECK_FALSE(exists(a.target()));
    CHECK(read_text(a.part()) == served_content.substr(0, 1000));
}

TEST_CASE("two fetches of one file do not mix") {
    Case a({{"/a", {served_content}}});
    std::filesystem::create_directories(a.target().parent_path());
    {
        const PartFile held(a.target());
        CHECK_THROWS_WITH(a.fetch(), Contains("another process fetches this file"));
        CHECK_THROWS_AS(a.fetch(), OutputError);
    }
    CHECK(a.fetch() == FetchOutcome::fetched);
}

TEST_CASE("a file is fetched to a file system without locks") {
    Case a({{"/a", {served_content}}});
    CHECK(without_locks(ENOLCK, [&] { a.fetch(); }));
    CHECK(a.clean());
}

TEST_CASE("a folder that cannot be written is an output error") {
    Case a({{"/a", {served_content}}});
    a.folder.write("set", "a file where the folder should be");
    CHECK_THROWS_AS(a.fetch(), OutputError);
}

TEST_CASE("a server that is busy is asked again after pauses that grow, and not for ever") {
    Case once(in_turn(
        {always("503 Service Unavailable"), always("429 Too Many Requests"), serves({served_content})}));
    CHECK(once.fetch() == FetchOutcome::fetched);
    CHECK(once.clean());
    CHECK(once.pauses == std::vector{1.0, 2.0});
    Case busy(always("503 Service Unavailable"));
    CHECK_THROWS_WITH(busy.fetch(), Contains("503") && Contains("could not be fetched"));
    CHECK(busy.pauses == std::vector{1.0, 2.0, 4.0, 8.0, 16.0});
    CHECK(busy.server.requests().size() == 6);
    CHECK(busy.nothing_left());
}

TEST_CASE("a server that has no such file for us is asked once") {
    for (const auto* status : {"404 Not Found", "403 Forbidden", "401 Unauthorized", "410 Gone"}) {
        Case a(always(status));
        CHECK_THROWS_AS(a.fetch(), MissingFileError);
        CHECK(a.server.requests().size() == 1);
        CHECK(a.pauses.empty());
        CHECK(a.nothing_left());
    }
}

TEST_CASE("the rest of a changed file is not put behind the part of the old one") {
    const auto old = served_content.substr(1) + "!";  // as long as the new one
    SECTION("the server sends the new one, as If-Range asks for") {
        Case a(
            in_turn({serves({old, true, 30'000, R"("v1")"}), serves({served_content, true, {}, R"("v2")"})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
    SECTION("the server does not know If-Range, but its new tag tells") {
        const auto ignores = [](HttpRequest request) -> HttpAnswer {
            request.if_range.clear();
            return {file_answer({served_content, true, 10, R"("v2")"}, request)};
        };
        Case a(in_turn({serves({old, true, 30'000, R"("v1")"}), ignores, serves({served_content})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
    SECTION("the server has no tags, but the length tells") {
        Case a(in_turn({serves({old + old, true, 30'000}), serves({served_content, true, 10}),
                        serves({served_content})}),
               false);
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
    SECTION("only the hash tells") {
        Case a(in_turn({serves({old, true, 30'000}), serves({served_content})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
}

TEST_CASE("a weak tag is not sent, since it says nothing of bytes") {
    for (const std::string tag : {R"(W/"v1")", R"("v1")"}) {
        Case a(
            in_turn({serves({served_content, true, 30'000, tag}), serves({served_content, true, {}, tag})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000"});
        CHECK(a.server.last_request().if_range == (tag.front() == 'W' ? "" : tag));
    }
}

TEST_CASE("another part than the one that was asked for is not taken") {
    const auto shifted = [](const HttpRequest& request) -> HttpAnswer {
        if (!request.from) return {file_answer({served_content}, request)};
        const auto from = *request.from + 1;
        const auto range = "Content-Range: bytes " + std::to_string(from) + "-99999/100000\r\n";
        return {http_answer("206 Partial Content", served_content.substr(from), range)};
    };
    Case a(in_turn({serves({served_content, true, 30'000}), shifted}));
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
}

TEST_CASE("a part that was not asked for is not taken as the whole file") {
    Case a([](const HttpRequest&) -> HttpAnswer {
        return {
            http_answer("206 Partial Content", served_content, "Content-Range: bytes 7-100006/100007\r\n")};
    });
    CHECK_THROWS_WITH(a.fetch(), Contains("another part of the file"));
    CHECK(a.nothing_left());
}

TEST_CASE("an answer that is longer than it says, or announces another size, is not the file") {
    const auto longer = [](const HttpRequest&) -> HttpAnswer {
        return {"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + served_content};
    };
    for (const bool sized : {true, false}) {
        Case a(longer, sized);
        CHECK_THROWS_AS(a.fetch(), DataError);
        CHECK(a.nothing_left());
        CHECK(a.server.requests().size() == 1);
    }
    // Of endless bytes without an announcement no more are kept than the published size.
    Case endless([](const HttpRequest&) -> HttpAnswer {
        return {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + served_content + "and more"};
    });
    CHECK_THROWS_WITH(endless.fetch(), Contains("more than 100000 bytes came"));
    CHECK(endless.nothing_left());
}

TEST_CASE("a file for which the disk has no room is not begun") {
    const auto huge = [](const HttpRequest&) -> HttpAnswer {
        return {"HTTP/1.1 200 OK\r\nContent-Length: 17000000000000\r\n\r\nfirst bytes"};
    };
    Case a(huge, false);
    CHECK_THROWS_WITH(a.fetch(), Contains("no room for 17000000000000 bytes of a.gz"));
    CHECK_THROWS_AS(a.fetch(), OutputError);
    CHECK(a.nothing_left());
}

TEST_CASE("redirects lead to other http addresses only") {
    const HttpServer other({{"/there", {served_content, true, 60'000}}});
    Case followed(
        [&](const HttpRequest&) -> HttpAnswer { return {redirect_answer(other.address("/there"))}; });
    CHECK(followed.fetch() == FetchOutcome::fetched);
    CHECK(followed.clean());
    CHECK(other.requests() == Requests{"/there", "/there from 60000"});

    const TemporaryFolder secret;
    const auto file = secret.write("right", served_content);
    for (const auto& forbidden : {"file://" + file.string(), std::string("ftp://127.0.0.1:1/a")}) {
        Case a([&](const HttpRequest&) -> HttpAnswer { return {redirect_answer(forbidden)}; });
        CHECK_THROWS_WITH(a.fetch(), Contains("Protocol") && Contains("0 bytes are kept"));
        CHECK(a.nothing_left());
        CHECK(a.server.requests().size() == 1);
    }
    Case circle([](const HttpRequest&) -> HttpAnswer { return {redirect_answer("/a")}; });
    CHECK_THROWS_WITH(circle.fetch(), Contains("redirects"));
    CHECK(circle.server.requests().size() == 6);
}

TEST_CASE("a connection that stays silent is given up in time") {
    const auto silent = [](const HttpRequest& request) -> HttpAnswer {
        return {file_answer({served_content, true, 0}, request), true};
    };
    Case a(in_turn({silent, serves({served_content})}));
    a.options.stalled = Seconds(1);
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.pauses == std::vector{1.0});
}

TEST_CASE("of two that want the same file one fetches it, and the other waits") {
    std::promise<void> second_waits;
    const auto waits = second_waits.get_future().share();
    Case a([&](const HttpRequest& request) -> HttpAnswer {
        waits.wait();
        return {file_answer({served_content}, request)};
    });
    auto first = std::async(std::launch::async, [&] { return a.fetch(); });
    const auto began = [&] { return exists(a.part()) && !a.server.requests().empty(); };
    while (!began()) std::this_thread::yield();
    FetchOptions patient;
    patient.progress = [&, told = false](const FetchProgress&) mutable {
        if (!std::exchange(told, true)) second_waits.set_value();
    };
    CHECK(fetch_file(a.file, a.folder.path() / "set", patient) == FetchOutcome::already_there);
    CHECK(first.get() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a"});
}

TEST_CASE("users and passwords come from .netrc and are in no error") {
    const TemporaryFolder home;
    home.write(".netrc", "machine 127.0.0.1 login lab password s3cret\n");
    const EnvironmentVariable set("HOME", home.path().c_str());
    Case a(always("403 Forbidden"));
    const std::string in_base64 = "bGFiOnMzY3JldA==";  // lab:s3cret
    CHECK_THROWS_WITH(a.fetch(), !Contains("s3cret") && !Contains(in_base64));
    CHECK(a.server.last_request().authorization == "Basic " + in_base64);
}

TEST_CASE("the query of an address is in no error") {
    Case a(no_files);
    a.file.mirrors = {a.server.address("/a?release=9")};
    CHECK_THROWS_WITH(a.fetch(), Contains(a.server.address("/a: ")) && !Contains("release"));
    CHECK(a.server.requests() == Requests{"/a?release=9"});
}

TEST_CASE("a file without a known hash is told by the hash of what came") {
    Case a(in_turn({serves({served_content, true, 30'000}), serves({served_content})}));
    const DataAddress address(a.server.address("/a"));
    const auto identity = fetch_unknown(address, a.target(), a.options);
    CHECK(identity == a.file.identity);
    CHECK(a.clean());
}

TEST_CASE("WebHDFS: the namenode's redirect is followed, and a broken transfer goes on at its offset") {
    const WebHdfsServers hdfs({{"/data/a", {served_content, true, 40'000}}});
    Case a(no_files);
    a.file.mirrors = {hdfs.address("/data/a")};
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    const std::string open = "/webhdfs/v1/data/a?op=OPEN", user = "&user.name=lab";
    CHECK(hdfs.namenode.requests() ==
          Requests{open + user, open + "&offset=40000" + user, open + "&offset=80000" + user});
    CHECK(hdfs.datanode.requests().back() == "/data/a?op=OPEN&delegation=block&offset=80000");
}

TEST_CASE("WebHDFS: a part that is longer than the file is fetched from scratch") {
    const WebHdfsServers hdfs({{"/a", {served_content}}});
    Case a(no_files, {"/a"}, false);
    a.file.mirrors = {hdfs.address("/a")};
    a.folder.write("set/a.gz.part", served_content + "more");
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("WebHDFS: a delegation token goes to the namenode only, and is in no error") {
    const EnvironmentVariable set("CONVOY_WEBHDFS_TOKEN", "t0ken");
    const WebHdfsServers hdfs({{"/a", {served_content}}});
    Case a(no_files);
    a.file.mirrors = {hdfs.address("/a")};
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(hdfs.namenode.requests() == Requests{"/webhdfs/v1/a?op=OPEN&user.name=lab&delegation=t0ken"});
    CHECK(hdfs.datanode.requests() == Requests{"/a?op=OPEN&delegation=block"});
    a.file.mirrors = {hdfs.address("/none"), a.server.address("/plain")};
    a.file.name = "b.gz";
    CHECK_THROWS_WITH(a.fetch(), Contains("404") && !Contains("t0ken"));
    CHECK(a.server.requests() == Requests{"/plain"});
    const EnvironmentVariable wrong("CONVOY_WEBHDFS_TOKEN", "a&op=DELETE");
    CHECK_THROWS_AS(a.fetch(), DataError);
}
