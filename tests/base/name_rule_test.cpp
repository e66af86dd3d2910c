#include "base/name_rule.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("a name stays within its folder, and is no option and no hidden file") {
    for (const auto* name : {"a", "7", "mnist_cnn", "a-b.c_d", "A..b"}) CHECK(file_names.allows(name));
    for (const auto* name : {"", ".", "..", ".a", "-a", "_a", "a/b", "/a", "a b", "a\\", "a\n", "\x1b[0m",
                             "a\x7f", "\xff", "\xc3\xa4", "=1", "a|b"}) {
        INFO(name);
        CHECK_FALSE(file_names.allows(name));
    }
    CHECK_FALSE(file_names.allows(std::string_view("a\0b", 3)));
}

TEST_CASE("a rule says its length and its characters") {
    constexpr NameRule rule{"_", 3};
    CHECK(rule.allows("a_b"));
    CHECK_FALSE(rule.allows("a-b"));
    CHECK_FALSE(rule.allows("abcd"));
    CHECK(rule.expected() == "a name of 1 to 3 letters, digits or '_', the first a letter or digit");
}
