#include "train/past_messages.hpp"

#include <cstddef>

namespace convoy {
namespace {

const RankApart& rank_in(const GoingApart& apart, std::int64_t rank) {
    return apart.ranks.at(static_cast<std::size_t>(rank));
}

}  // namespace

PastMessages past_by_place(const MessageHandling::Past& past, std::span<const MessageHandler> handlers,
                           const std::optional<GoingApart>& apart) {
    PastMessages by_place{.updates = past.updates};
    for (std::size_t i = 0; i < past.peers.size(); ++i) {
        const auto rank = handlers[i].peer;
        by_place.peers[apart ? rank_in(*apart, rank).place : rank] = past.peers[i];
    }
    return by_place;
}

MessageHandling::Past past_by_handler(const PastMessages& past, std::span<const MessageHandler> handlers,
                                      const GoingApart& apart) {
    MessageHandling::Past messages{.updates = past.updates, .peers = {}};
    for (const auto& handler : handlers) {
        const auto& rank = rank_in(apart, handler.peer);
        const auto found = past.peers.find(rank.place);
        auto of_peer =
            found != past.peers.end() ? found->second : MessageHandling::PastOfPeer{.version = past.updates};
        of_peer.step = rank.step;
        messages.peers.push_back(of_peer);
    }
    return messages;
}

}  // namespace convoy
