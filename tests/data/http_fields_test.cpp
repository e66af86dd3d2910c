#include "data/http_fields.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace convoy;

TEST_CASE("Content-Range is read as RFC 9110 has it") {
    const auto range = parse_content_range("bytes 42-1233/1234");  // the example of its section 14.4
    REQUIRE(range);
    CHECK(range->first == 42);
    CHECK(range->last == 1233);
    CHECK(range->total == 1234);
    const auto without_total = parse_content_range("bytes 42-1233/*");
    REQUIRE(without_total);
    CHECK_FALSE(without_total->total);
    CHECK(parse_content_range("bytes 0-18446744073709551614/18446744073709551615"));
    for (const auto* wrong :
         {"", "bytes", "bytes */1234", "bytes 42-1233", "bytes 42-1233/", "bytes 42-41/1234",
          "bytes 42-1233/1233", "bytes 42-1233/1234 ", "bytes -5/10", "lines 1-2/3", "bytes 1-2/3x",
          "bytes 1 -2/3", "bytes 18446744073709551616-18446744073709551617/*",
          "bytes 0-1/18446744073709551616"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_content_range(wrong));
    }
}

TEST_CASE("only a strong entity tag is taken") {
    CHECK(strong_etag(R"("xyzzy")") == R"("xyzzy")");  // the examples of RFC 9110, 8.8.3
    CHECK(strong_etag(R"(W/"xyzzy")").empty());
    CHECK(strong_etag(R"("")") == R"("")");
    for (const std::string& wrong :
         {std::string(), std::string("\""), std::string("xyzzy"), std::string(R"("a"b")"),
          std::string("\"a b\""), std::string("\"a\r\nX: y\""), std::string("\"\x80\"")}) {
        CAPTURE(wrong);
        CHECK(strong_etag(wrong).empty());
    }
    CHECK_FALSE(strong_etag('"' + std::string(254, 'x') + '"').empty());
    CHECK(strong_etag('"' + std::string(255, 'x') + '"').empty());
}
