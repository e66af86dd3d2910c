#include "net/waiting_room.hpp"

#include <catch2/catch.hpp>

using convoy::WaitingRoom;

TEST_CASE("the oldest of an address makes room if too many come from there") {
    WaitingRoom room(3);
    constexpr std::uint64_t most = WaitingRoom::most_of_address + 3;
    CHECK_FALSE(room.enter(1, "other"));
    for (std::uint64_t id = 2; id < most + 2; ++id) CHECK_FALSE(room.enter(id, "crowd"));
    CHECK(room.enter(most + 2, "crowd") == 2);
    CHECK(room.enter(most + 3, "crowd") == 3);
    CHECK(room.size() == most + 1);
}

TEST_CASE("the oldest of all makes room if too many come in all") {
    WaitingRoom room(0);
    for (std::uint64_t id = 1; id <= WaitingRoom::most; ++id) CHECK_FALSE(room.enter(id, std::to_string(id)));
    CHECK(room.enter(100, "100") == 1);
    CHECK(room.enter(101, "101") == 2);
    CHECK(room.size() == WaitingRoom::most);
}

TEST_CASE("who leaves takes no room, and may leave twice") {
    WaitingRoom room(0);
    for (std::uint64_t id = 1; id <= 1000; ++id) {
        CHECK_FALSE(room.enter(id, "crowd"));
        room.leave(id);
        room.leave(id);
    }
    CHECK(room.size() == 0);
}
