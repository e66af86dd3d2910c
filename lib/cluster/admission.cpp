#include "cluster/admission.hpp"

#include <algorithm>
#include <utility>

#include "cluster/handshake.hpp"

namespace convoy {

Admission::Admission(std::string token, Clock::duration patience, std::size_t expected)
    : token_(std::move(token)), patience_(patience), room_(expected) {}

std::optional<Admission::Displaced> Admission::open(const event::Connected& connected, TimePoint now) {
    waiting_[connected.connection] = {.guest = {.host = connected.host, .nonce = connected.nonce},
                                      .latest = now + patience_};
    const auto displaced = room_.enter(connected.connection, connected.host);
    if (!displaced) return std::nullopt;
    return Displaced{.connection = *displaced, .guest = take(*displaced).value()};
}

std::optional<Admission::Guest> Admission::take(ConnectionId connection) {
    room_.leave(connection);
    auto found = waiting_.extract(connection);
    if (!found) return std::nullopt;
    return std::move(found.mapped().guest);
}

std::string Admission::check(const Guest& guest, const messages::Hello& hello) const {
    if (!same_proof(hello.proof, join_proof(token_, JoinSide::worker, guest.nonce, hello.nonce)))
        throw ClusterError("it does not know this run's token");
    return join_proof(token_, JoinSide::launcher, guest.nonce, hello.nonce);
}

std::vector<ConnectionId> Admission::overdue(TimePoint now) {
    std::vector<ConnectionId> late;
    for (auto& [connection, waiting] : waiting_) {
        if (waiting.told || now < waiting.latest) continue;
        waiting.told = true;
        late.push_back(connection);
    }
    return late;
}

std::optional<TimePoint> Admission::next_due() const {
    std::optional<TimePoint> due;
    for (const auto& [connection, waiting] : waiting_)
        if (!waiting.told) due = std::min(due.value_or(waiting.latest), waiting.latest);
    return due;
}

}  // namespace convoy
