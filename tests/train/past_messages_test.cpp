#include "train/past_messages.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

std::vector<MessageHandler> handlers_of(const std::vector<std::int64_t>& peers) {
    std::vector<MessageHandler> handlers;
    for (const auto peer : peers) handlers.emplace_back().peer = peer;
    return handlers;
}

using Peer = MessageHandling::PastOfPeer;

}  // namespace

TEST_CASE("messages are kept by the place of their worker, whatever rank it gets") {
    const MessageHandling::Past past{
        .updates = 12,
        .peers = {{.step = 4, .handled = 4, .version = 9}, {.step = 5, .handled = 6, .version = 12}}};
    const auto kept = past_by_place(past, handlers_of({0, 2}), std::nullopt);
    CHECK(kept.updates == 12);
    CHECK(kept.peers.at(0) == past.peers[0]);
    CHECK(kept.peers.at(2) == past.peers[1]);

    // Place 0 is lost. Place 2 has rank 0 now, and has done a step more; place 3 is new.
    const GoingApart apart{.shares = 3, .ranks = {{.place = 2, .step = 6}, {.place = 3, .step = 2}}};
    const auto now = past_by_handler(kept, handlers_of({0, 1}), apart);
    CHECK(now.updates == 12);
    CHECK(now.peers == std::vector<Peer>{{.step = 6, .handled = 6, .version = 12},
                                         {.step = 2, .handled = 0, .version = 12}});

    // From there, ranks are no places.
    const auto again = past_by_place(now, handlers_of({0, 1}), apart);
    CHECK(again.peers.at(2) == now.peers[0]);
    CHECK(again.peers.at(3) == now.peers[1]);
    CHECK(again.peers.size() == 2);
}
