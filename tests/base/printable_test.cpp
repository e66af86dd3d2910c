#include "base/printable.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/path_text.hpp"
#include "base/utf8.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// Whether a strict parser takes the bytes for UTF-8.
bool is_utf8_elsewhere(const std::string& bytes) {
    try {
        return !json(bytes).dump().empty();
    } catch (const json::exception&) {
        return false;
    }
}

}  // namespace

TEST_CASE("a terminal obeys nothing in a printable text, which is one line") {
    CHECK(printable("plain, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") ==
          "plain, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    CHECK(printable("\x1b[31m\a") == "\\x1b[31m\\x07");
    CHECK(printable("a\nb\r\nc\td\x7f") == "a\\nb\\r\\nc\\td\\x7f");
    CHECK(printable("\xc2\x9b"
                    "31m\xc2\xa0") == "\\u009b31m\xc2\xa0");
    CHECK(printable("o\xff"
                    "7\xe2\x82") == "o\\xff7\\xe2\\x82");
    CHECK(printable(std::string_view("\0", 1)) == "\\x00");
    CHECK(printable("").empty());
    CHECK(printable_lines("a\n\tb\r\x1b\xff") == "a\n\tb\\r\\x1b\\xff");
}

TEST_CASE("characters of UTF-8 are told from other bytes") {
    for (int first = 0; first < 256; ++first) {
        for (const char* rest :
             {"", "\x80", "\x9f", "\xa0", "\xbf", "\xc0", "a", "\x80\x80", "\xa0\x80", "\x9f\xbf",
              "\x80\x80\x80", "\x8f\xbf\xbf", "\x90\x80\x80", "\xbf\xbf\x7f", "\x80\x80\x80\x80"}) {
            const auto text = std::string(1, static_cast<char>(first)) + rest;
            CAPTURE(first, printable(text));
            CHECK(is_utf8(text) == is_utf8_elsewhere(text));
        }
    }
}

TEST_CASE("a path of any bytes comes back from its text, which is UTF-8") {
    for (const std::string path :
         {"/plain/\xc3\xa4.npy", "d\xff\xfe/x.npy", "\x80", "\xc3", "\xee\xbe\x80", "\xee\xbf\xbf\xff",
          "\xee\xbd\xbf", "a\nb", "\xed\xa0\x80", "\xf5\xf6\xf7", ""}) {
        const auto text = text_of_path(path);
        CAPTURE(printable(path));
        CHECK(is_utf8(text));
        CHECK(path_of_text(text) == path);
    }
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    CHECK(path_of_text(text_of_path(all)) == all);
    CHECK(text_of_path("/plain/\xc3\xa4.npy") == "/plain/\xc3\xa4.npy");
    CHECK(text_of_path("\xff") == "\xee\xbf\xbf");
    CHECK(text_of_path("\x80") == "\xee\xbe\x80");
}

TEST_CASE("JSON text of anything is UTF-8 without control characters") {
    CHECK(json_text("o\xff"
                    "7") ==
          "\"o\xef\xbf\xbd"
          "7\"");
    CHECK(json_text("\x1b\x7f\xc2\x9b\xc2\xa0") == "\"\\u001b\\u007f\\u009b\xc2\xa0\"");
    CHECK(json::parse(json_text("\x7f\xc2\x9b")) == json("\x7f\xc2\x9b"));
    CHECK(json_text({{"a", 1}}, 2) == "{\n  \"a\": 1\n}");
}
