#include "cluster/newcomers.hpp"

#include <algorithm>

namespace convoy {

Newcomers::Newcomers(std::size_t places, std::int64_t most) {
    for (std::size_t number = 0; number < places; ++number) {
        places_.push_back({.newcomer = {}, .tries = Restarts(most, 0)});
        places_.back().newcomer.place = static_cast<std::int64_t>(number);
    }
}

bool Newcomers::wait_for(std::int64_t number, std::int64_t step, TimePoint now) {
    auto& empty = place(number);
    const auto pause = empty.tries.next(step);
    empty.state = pause ? State::waits_for_time : State::none;
    if (pause) empty.due = now + *pause;
    return pause.has_value();
}

std::optional<TimePoint> Newcomers::next_due() const {
    std::optional<TimePoint> due;
    for (const auto& each : places_)
        if (each.state != State::none && each.state != State::ready)
            due = std::min(due.value_or(each.due), each.due);
    return due;
}

std::vector<std::int64_t> Newcomers::take_due(TimePoint now) {
    std::vector<std::int64_t> numbers;
    for (auto& each : places_) {
        if (each.state != State::waits_for_time || now < each.due) continue;
        each.state = State::started;
        numbers.push_back(each.newcomer.place);
    }
    return numbers;
}

std::vector<std::int64_t> Newcomers::take_overdue(TimePoint now) {
    std::vector<std::int64_t> numbers;
    for (auto& each : places_) {
        if ((each.state != State::started && each.state != State::connected) || now < each.due) continue;
        each.due = TimePoint::max();
        numbers.push_back(each.newcomer.place);
    }
    return numbers;
}

void Newcomers::started(std::int64_t number, std::int64_t pid, TimePoint hello_by) {
    place(number).newcomer.pid = pid;
    place(number).due = hello_by;
}

void Newcomers::connected(std::int64_t number, ConnectionId connection) {
    auto& newcomer = place(number);
    newcomer.newcomer.connection = connection;
    newcomer.state = State::connected;
}

void Newcomers::said_hello(ConnectionId connection) {
    if (const auto number = place_of(connection)) place(*number).state = State::ready;
}

void Newcomers::ended(std::int64_t number) {
    place(number).state = State::none;
}

std::optional<std::int64_t> Newcomers::place_of(ConnectionId connection) const {
    const auto found = std::ranges::find_if(places_, [&](const Place& each) {
        return each.state >= State::connected && each.newcomer.connection == connection;
    });
    if (found == places_.end()) return std::nullopt;
    return found->newcomer.place;
}

bool Newcomers::is_started(std::int64_t number) const {
    return place(number).state >= State::started;
}

bool Newcomers::awaits_connection(std::int64_t number) const {
    return place(number).state == State::started;
}

std::vector<std::int64_t> Newcomers::started_places() const {
    std::vector<std::int64_t> numbers;
    for (const auto& each : places_)
        if (each.state >= State::started) numbers.push_back(each.newcomer.place);
    return numbers;
}

bool Newcomers::is_any_ready() const {
    return std::ranges::count(places_, State::ready, &Place::state) > 0;
}

std::vector<Newcomers::Ready> Newcomers::take_ready() {
    std::vector<Ready> ready;
    for (auto& each : places_) {
        if (each.state != State::ready) continue;
        each.state = State::none;
        ready.push_back(each.newcomer);
    }
    return ready;
}

}  // namespace convoy
