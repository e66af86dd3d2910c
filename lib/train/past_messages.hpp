#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "job/node_job.hpp"
#include "plan/node_plan.hpp"
#include "train/message_handling.hpp"

namespace convoy {

/// The messages that a server has handled before the nodes of its run changed.
struct PastMessages {
    std::int64_t updates = 0;
    std::map<std::int64_t, MessageHandling::PastOfPeer> peers = {};  ///< by place (RankApart)
};

/// What a server has handled, by the places of its peers. handlers: of its routine. apart: how the run goes
/// on; absent: nodes have not changed, and ranks are places.
PastMessages past_by_place(const MessageHandling::Past& past, std::span<const MessageHandler> handlers,
                           const std::optional<GoingApart>& apart);

/// The reverse, for a server whose peers have other ranks now. A peer that was not there before has the
/// newest values.
MessageHandling::Past past_by_handler(const PastMessages& past, std::span<const MessageHandler> handlers,
                                      const GoingApart& apart);

}  // namespace convoy
