#include "cluster/newcomer_processes.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "cluster/control_messages.hpp"

namespace convoy {

NewcomerProcesses::NewcomerProcesses(Means means, std::vector<Seat> seats)
    : means_(std::move(means)),
      seats_(std::move(seats)),
      newcomers_(seats_.size(), means_.options.spec.failures.restarts) {}

void NewcomerProcesses::wait_for(std::int64_t place) {
    if (!means_.options.spec.failures.grow) return;
    if (!newcomers_.wait_for(place, step_, Clock::now()))
        means_.observer.on_notice(
            fmt::format("warning: no other process is started for node {}: {} in a row failed", place,
                        means_.options.spec.failures.restarts));
}

void NewcomerProcesses::start_due() {
    for (const auto place : newcomers_.take_overdue(Clock::now())) means_.starter.end(place, true);
    for (const auto place : newcomers_.take_due(Clock::now())) {
        try {
            const auto threads = seats_.at(static_cast<std::size_t>(place)).threads;
            auto started = means_.starter.start({.rank = place, .threads = threads}, means_.watch(place));
            if (!started) throw InternalError("a node that somebody else starts cannot be started again");
            const Seconds to_join(means_.options.seconds_to_join());
            newcomers_.started(place, started->pid,
                               Clock::now() + std::chrono::duration_cast<Clock::duration>(to_join));
            means_.links.adopt(std::move(started->control), place, started->host);
        } catch (const ClusterError& error) {
            ended(place, error.what());
        }
    }
}

void NewcomerProcesses::ended(std::int64_t place, const std::string& how) {
    means_.observer.on_detail(fmt::format("a new process of node {} {} before it had joined", place, how));
    newcomers_.ended(place);
    if (!newcomers_.is_any_ready()) means_.deliver(event::NewcomerLeft{});
    if (!means_.run_is_over()) wait_for(place);
}

void NewcomerProcesses::end_all() {
    for (const auto place : newcomers_.started_places()) means_.starter.end(place, true);
}

bool NewcomerProcesses::hear(const MembershipEvent& event) {
    return std::visit(Overloaded{[this](const event::Connected& connected) { return hear(connected); },
                                 [this](const event::HelloCame& came) { return hear(came); },
                                 [this](const event::Closed& closed) { return end_of(closed.connection); },
                                 [this](const event::Garbled& garbled) { return end_of(garbled.connection); },
                                 [](const auto& /*other*/) { return false; }},
                      event);
}

bool NewcomerProcesses::hear(const event::Connected& connected) {
    if (!connected.rank || !newcomers_.awaits_connection(*connected.rank)) return false;
    newcomers_.connected(*connected.rank, connected.connection);
    means_.links.send(connected.connection, encode(told::Welcome{}));
    return true;
}

bool NewcomerProcesses::hear(const event::HelloCame& came) {
    const auto place = newcomers_.place_of(came.connection);
    if (!place) return false;
    if (came.hello.version != build_text()) {
        means_.observer.on_notice(fmt::format("warning: a new process of node {} runs convoy {}, not {}",
                                              *place, came.hello.version, build_text()));
        means_.starter.end(*place, true);
        return true;
    }
    newcomers_.said_hello(came.connection);
    means_.links.admit(came.connection, fmt::format("a new process of node {}", *place));
    means_.observer.on_detail(fmt::format("a new process of node {} is ready to join", *place));
    means_.deliver(event::NewcomerWaits{});
    return true;
}

bool NewcomerProcesses::end_of(ConnectionId connection) {
    const auto place = newcomers_.place_of(connection);
    if (place) means_.starter.end(*place, true);
    return place.has_value();
}

}  // namespace convoy
