#pragma once

#include <variant>
#include <vector>

#include "cluster/membership_actions.hpp"

/// The actions of one kind.
template <class Wanted>
std::vector<Wanted> all_of(const convoy::MembershipActions& actions) {
    std::vector<Wanted> found;
    for (const auto& action : actions)
        if (const auto* wanted = std::get_if<Wanted>(&action)) found.push_back(*wanted);
    return found;
}

/// Connections that are sent this message.
template <class Message>
std::vector<convoy::ConnectionId> receivers_of(const convoy::MembershipActions& actions) {
    std::vector<convoy::ConnectionId> found;
    for (const auto& send : all_of<convoy::action::Send>(actions))
        if (std::holds_alternative<Message>(send.message)) found.push_back(send.connection);
    return found;
}
