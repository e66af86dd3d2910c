#include "measure/core_list.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("a list of cores is read and written in the kernel's format") {
    for (const auto* text : {"", "0", "0-1", "0,2", "1-3,8", "0-3,8-9,8191"}) {
        CAPTURE(text);
        const auto list = CoreList::parse(text);
        REQUIRE(list);
        CHECK(list->text() == text);
    }
    CHECK(CoreList::parse("1-3,8")->size() == 4);
    CHECK(CoreList::parse("")->size() == 0);
    CHECK(CoreList::parse("0-8191")->size() == CoreList::most_cores);
}

TEST_CASE("what is no list of cores is refused") {
    for (const auto* text : {",", "0,", ",0", "0-", "-1", "1-0", "0 1", "0,,1", "1,0", "0,0", "0-2,1", "a",
                             "8192", "0-8192", "99999999999999999999", "0x1"}) {
        CAPTURE(text);
        CHECK_FALSE(CoreList::parse(text));
    }
}

TEST_CASE("lists of one machine are added") {
    auto both = CoreList::parse("0,2").value();
    both.add(CoreList::parse("1-2").value());
    CHECK(both.text() == "0-2");
    CHECK(both.size() == 3);
    CHECK(both.contains(CoreList::parse("0,2").value()));
    CHECK(both.contains(CoreList{}));
    CHECK_FALSE(CoreList::parse("0,2")->contains(both));
}

TEST_CASE("this process has cores") {
    const auto own = CoreList::of_process();
    REQUIRE(own);
    CHECK(own->size() >= 1);
    CHECK(usable_cores() == own->size());
    CHECK(CoreList::parse(own->text()) == own);
}
