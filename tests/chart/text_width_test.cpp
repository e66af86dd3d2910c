#include "chart/text_width.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("the width of a text is that of its characters") {
    CHECK(text_width("") == 0.0);
    CHECK(text_width("WW") == Approx(2.0 * text_width("W")));
    CHECK(text_width("i") < text_width("n"));
    CHECK(text_width("n") < text_width("m"));
    CHECK(text_width("é") < 2.0 * text_width("W"));  // a character of two bytes
}

TEST_CASE("a shortened text has the room that it was given") {
    const std::string text = "Überlauf, 数 and some more";
    CHECK(shortened_to(text, 1000.0) == text);
    for (double room = 12.0; room < text_width(text); room += 1.0) {
        const auto cut = shortened_to(text, room);
        CHECK(text_width(cut) <= room);
        CHECK(cut.ends_with("…"));
        // It is cut between characters.
        CHECK(text.starts_with(cut.substr(0, cut.size() - std::string("…").size())));
        CHECK((static_cast<unsigned char>(text[cut.size() - 3]) & 0xC0U) != 0x80U);
    }
}
