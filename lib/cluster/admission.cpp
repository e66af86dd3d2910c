#include "cluster/admission.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

Admission::Admission(Clock::duration patience, std::size_t expected) : patience_(patience), room_(expected) {}

std::optional<Admission::Displaced> Admission::open(const event::Connected& connected, TimePoint now) {
    waiting_[connected.connection] = {.host = connected.host, .latest = now + patience_};
    const auto displaced = room_.enter(connected.connection, connected.host);
    if (!displaced) return std::nullopt;
    return Displaced{.connection = *displaced, .host = take(*displaced).value()};
}

std::optional<std::string> Admission::take(ConnectionId connection) {
    room_.leave(connection);
    auto found = waiting_.extract(connection);
    if (!found) return std::nullopt;
    return std::move(found.mapped().host);
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
