#include "monitor/metrics_export.hpp"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using boost::asio::ip::tcp;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

const tcp::endpoint any_port{boost::asio::ip::address_v4::loopback(), 0};

/// A connection to an exporter.
class Asking {
  public:
    explicit Asking(const MetricsExport& exporter) : socket_(io_) { socket_.connect(*exporter.endpoint()); }
    void say(const std::string& text) {
        boost::system::error_code ignored;  // it may have hung up
        boost::asio::write(socket_, boost::asio::buffer(text), ignored);
    }
    /// What it answers until it hangs up.
    std::string answer() {
        std::string text;
        boost::system::error_code end;
        boost::asio::read(socket_, boost::asio::dynamic_buffer(text), end);
        return text;
    }

  private:
    boost::asio::io_context io_;
    tcp::socket socket_;
};

std::string ask(const MetricsExport& exporter, const std::string& request) {
    Asking asking(exporter);
    asking.say(request);
    return asking.answer();
}

}  // namespace

TEST_CASE("metrics are answered over HTTP") {
    std::atomic<int> asked = 0;
    const MetricsExport exporter({.listen = any_port},
                                 [&asked] { return "a " + std::to_string(++asked) + "\n"; });
    REQUIRE(exporter.endpoint());
    CHECK(exporter.endpoint()->address().is_loopback());
    CHECK(exporter.endpoint()->port() != 0);
    for (const auto* path : {"/metrics", "/metrics?name=a"}) {
        const auto before = asked.load();
        const auto answer = ask(exporter, std::string("GET ") + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
        CHECK_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
        CHECK_THAT(answer, Contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
        CHECK_THAT(answer, EndsWith("\r\n\r\na " + std::to_string(before + 1) + "\n"));
    }
    const auto head = ask(exporter, "HEAD /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
    CHECK_THAT(head, Contains("Content-Length: 4\r\n") && EndsWith("\r\n\r\n"));
    CHECK_THAT(ask(exporter, "GET / HTTP/1.1\r\nHost: here\r\n\r\n"),
               StartsWith("HTTP/1.1 404") && EndsWith("metrics are at /metrics\n"));
    CHECK_THAT(ask(exporter, "POST /metrics HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nab"),
               StartsWith("HTTP/1.1 405") && Contains("Allow: GET, HEAD\r\n"));
}

TEST_CASE("what strangers send to the metrics is bounded") {
    const MetricsExport exporter({.listen = any_port}, [] { return "a 1\n"; });
    CHECK(ask(exporter, "no HTTP at all\r\n\r\n").empty());
    CHECK(ask(exporter, "GET /metrics HTTP/1.1\r\nLong: " + std::string(100'000, 'x') + "\r\n\r\n").empty());
    CHECK(ask(exporter, "GET /" + std::string(100'000, 'x') + " HTTP/1.1\r\n\r\n").empty());
    CHECK(ask(exporter, "GET /metrics HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n").empty());
    CHECK_THAT(ask(exporter, "GET /metrics HTTP/1.1\r\n\r\n"), EndsWith("a 1\n"));
}

TEST_CASE("of many connections that say nothing, those beyond the bound are closed") {
    const MetricsExport exporter({.listen = any_port}, [] { return "a 1\n"; });
    std::vector<std::unique_ptr<Asking>> silent;
    for (int i = 0; i < 32; ++i) {
        silent.push_back(std::make_unique<Asking>(exporter));
        silent.back()->say("GET ");
    }
    CHECK(ask(exporter, "").empty());  // at once, not after the time for a request
    silent.front()->say("/metrics HTTP/1.1\r\n\r\n");
    CHECK_THAT(silent.front()->answer(), EndsWith("a 1\n"));
    // The first one's place is free.
    std::string answer;
    while (answer.empty()) answer = ask(exporter, "GET /metrics HTTP/1.1\r\n\r\n");
    CHECK_THAT(answer, EndsWith("a 1\n"));
}

TEST_CASE("an error in the text of metrics is an answer, and the exporter goes on") {
    const TemporaryFolder folder;
    bool fails = false;
    {
        const MetricsExport exporter({.listen = any_port, .file = folder / "a.prom"},
                                     [&fails]() -> std::string {
                                         if (fails) throw std::runtime_error("broken");
                                         return "a 1\n";
                                     });
        fails = true;
        CHECK_THAT(ask(exporter, "GET /metrics HTTP/1.1\r\n\r\n"),
                   StartsWith("HTTP/1.1 500") && EndsWith("broken\n"));
        fails = false;
        CHECK_THAT(ask(exporter, "GET /metrics HTTP/1.1\r\n\r\n"), EndsWith("a 1\n"));
        fails = true;
    }
    CHECK(read_text(folder / "a.prom") == "a 1\n");
}

TEST_CASE("metrics are written into a file at the begin and at the end, as a whole") {
    const TemporaryFolder folder;
    const auto file = folder / "convoy.prom";
    std::string text = "a 1\n";
    {
        const MetricsExport exporter({.file = file}, [&text] { return text; });
        CHECK_FALSE(exporter.endpoint());
        CHECK(read_text(file) == "a 1\n");
        text = "a 2\n";
        CHECK_FALSE(exporter.problem());
    }
    CHECK(read_text(file) == "a 2\n");
    std::error_code problem;
    CHECK(paths_in(folder.path(), problem).size() == 1);  // no other file, of any name
}

TEST_CASE("metrics that nobody can get are an error at the begin") {
    const TemporaryFolder folder;
    const auto text = [] { return std::string("a 1\n"); };
    CHECK_THROWS_AS(MetricsExport({.file = folder / "none" / "a.prom"}, text), OutputError);
    const MetricsExport exporter({.listen = any_port}, text);
    const auto taken = *exporter.endpoint();
    CHECK(error_line<ClusterError>([&] { const MetricsExport other({.listen = taken}, text); }) ==
          "cannot listen at port " + std::to_string(taken.port()) + " of 127.0.0.1: Address already in use");
}
