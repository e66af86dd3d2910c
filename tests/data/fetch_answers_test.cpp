// What a fetch makes of the answers of servers; WebHDFS, passwords, and two fetches at a time.
#include <catch2/catch.hpp>
#include <future>

#include "base/error.hpp"
#include "data/fetch_case.hpp"
#include "data/web_hdfs_servers.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Requests = std::vector<std::string>;

TEST_CASE("a server that is busy is asked again after pauses that grow, and not for ever") {
    FetchCase once(in_turn(
        {always("503 Service Unavailable"), always("429 Too Many Requests"), serves({served_content})}));
    CHECK(once.fetch() == FetchOutcome::fetched);
    CHECK(once.clean());
    CHECK(once.pauses == std::vector{1.0, 2.0});
    FetchCase busy(always("503 Service Unavailable"));
    CHECK_THROWS_WITH(busy.fetch(), Contains("503") && Contains("could not be fetched"));
    CHECK(busy.pauses == std::vector{1.0, 2.0, 4.0, 8.0, 16.0});
    CHECK(busy.server.requests().size() == 6);
    CHECK(busy.nothing_left());
}

TEST_CASE("a server that has no such file for us is asked once") {
    for (const auto* status : {"404 Not Found", "403 Forbidden", "401 Unauthorized", "410 Gone"}) {
        FetchCase a(always(status));
        CHECK_THROWS_AS(a.fetch(), MissingFileError);
        CHECK(a.server.requests().size() == 1);
        CHECK(a.pauses.empty());
        CHECK(a.nothing_left());
    }
}

TEST_CASE("the rest of a changed file is not put behind the part of the old one") {
    const auto old = served_content.substr(1) + "!";  // as long as the new one
    SECTION("the server sends the new one, as If-Range asks for") {
        FetchCase a(
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
        FetchCase a(in_turn({serves({old, true, 30'000, R"("v1")"}), ignores, serves({served_content})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
    SECTION("the server has no tags, but the length tells") {
        FetchCase a(in_turn({serves({old + old, true, 30'000}), serves({served_content, true, 10}),
                             serves({served_content})}),
                    false);
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
    SECTION("only the hash tells") {
        FetchCase a(in_turn({serves({old, true, 30'000}), serves({served_content})}));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
    }
}

TEST_CASE("a weak tag is not sent, since it says nothing of bytes") {
    for (const std::string tag : {R"(W/"v1")", R"("v1")"}) {
        FetchCase a(
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
    FetchCase a(in_turn({serves({served_content, true, 30'000}), shifted}));
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a"});
}

TEST_CASE("a part that was not asked for is not taken as the whole file") {
    FetchCase a([](const HttpRequest&) -> HttpAnswer {
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
        FetchCase a(longer, sized);
        CHECK_THROWS_AS(a.fetch(), DataError);
        CHECK(a.nothing_left());
        CHECK(a.server.requests().size() == 1);
    }
    // Of endless bytes without an announcement no more are kept than the published size.
    FetchCase endless([](const HttpRequest&) -> HttpAnswer {
        return {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + served_content + "and more"};
    });
    CHECK_THROWS_WITH(endless.fetch(), Contains("more than 100000 bytes came"));
    CHECK(endless.nothing_left());
}

TEST_CASE("a file for which the disk has no room is not begun") {
    const auto huge = [](const HttpRequest&) -> HttpAnswer {
        return {"HTTP/1.1 200 OK\r\nContent-Length: 17000000000000\r\n\r\nfirst bytes"};
    };
    FetchCase a(huge, false);
    CHECK_THROWS_WITH(a.fetch(), Contains("no room for 17000000000000 bytes of a.gz"));
    CHECK_THROWS_AS(a.fetch(), OutputError);
    CHECK(a.nothing_left());
}

TEST_CASE("redirects lead to other http addresses only") {
    const HttpServer other({{"/there", {served_content, true, 60'000}}});
    FetchCase followed(
        [&](const HttpRequest&) -> HttpAnswer { return {redirect_answer(other.address("/there"))}; });
    CHECK(followed.fetch() == FetchOutcome::fetched);
    CHECK(followed.clean());
    CHECK(other.requests() == Requests{"/there", "/there from 60000"});

    const TemporaryFolder secret;
    const auto file = secret.write("right", served_content);
    for (const auto& forbidden : {"file://" + file.string(), std::string("ftp://127.0.0.1:1/a")}) {
        FetchCase a([&](const HttpRequest&) -> HttpAnswer { return {redirect_answer(forbidden)}; });
        CHECK_THROWS_WITH(a.fetch(), Contains("Protocol") && Contains("0 bytes are kept"));
        CHECK(a.nothing_left());
        CHECK(a.server.requests().size() == 1);
    }
    FetchCase circle([](const HttpRequest&) -> HttpAnswer { return {redirect_answer("/a")}; });
    CHECK_THROWS_WITH(circle.fetch(), Contains("redirects"));
    CHECK(circle.server.requests().size() == 6);
}

TEST_CASE("a connection that stays silent is given up in time") {
    const auto silent = [](const HttpRequest& request) -> HttpAnswer {
        return {file_answer({served_content, true, 0}, request), true};
    };
    FetchCase a(in_turn({silent, serves({served_content})}));
    a.options.stalled = Seconds(1);
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.pauses == std::vector{1.0});
}

TEST_CASE("of two that want the same file one fetches it, and the other waits") {
    std::promise<void> second_waits;
    const auto waits = second_waits.get_future().share();
    FetchCase a([&](const HttpRequest& request) -> HttpAnswer {
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
    FetchCase a(always("403 Forbidden"));
    const std::string in_base64 = "bGFiOnMzY3JldA==";  // lab:s3cret
    CHECK_THROWS_WITH(a.fetch(), !Contains("s3cret") && !Contains(in_base64));
    CHECK(a.server.last_request().authorization == "Basic " + in_base64);
}

TEST_CASE("the query of an address is in no error") {
    FetchCase a(no_files);
    a.file.mirrors = {a.server.address("/a?release=9")};
    CHECK_THROWS_WITH(a.fetch(), Contains(a.server.address("/a: ")) && !Contains("release"));
    CHECK(a.server.requests() == Requests{"/a?release=9"});
}

TEST_CASE("a file without a known hash is told by the hash of what came") {
    FetchCase a(in_turn({serves({served_content, true, 30'000}), serves({served_content})}));
    const DataAddress address(a.server.address("/a"));
    const auto identity = fetch_unknown(address, a.target(), a.options);
    CHECK(identity == a.file.identity);
    CHECK(a.clean());
}

TEST_CASE("WebHDFS: the namenode's redirect is followed, and a broken transfer goes on at its offset") {
    const WebHdfsServers hdfs({{"/data/a", {served_content, true, 40'000}}});
    FetchCase a(no_files);
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
    FetchCase a(no_files, {"/a"}, false);
    a.file.mirrors = {hdfs.address("/a")};
    a.folder.write("set/a.gz.part", served_content + "more");
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("WebHDFS: a delegation token goes to the namenode only, and is in no error") {
    const EnvironmentVariable set("CONVOY_WEBHDFS_TOKEN", "t0ken");
    const WebHdfsServers hdfs({{"/a", {served_content}}});
    FetchCase a(no_files);
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
