#include "train/message_handling.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace convoy {

MessageHandling::MessageHandling(std::int64_t rank, const Routine& routine, Communicator& communicator,
                                 Phase& phase)
    : rank_(rank),
      routine_(routine),
      communicator_(communicator),
      phase_(phase),
      row_(routine.handlers.empty()
               ? OperatorRowId{}
               : phase.timer().add_row({std::string(message_wait_operator), "messages", {}})) {
    for (const auto& handler : routine.handlers) peers_.push_back({.handler = &handler});
}

StepResult MessageHandling::run_step(const Goal& goal, const ContextOf& context_of,
                                     std::vector<UpdateRecord>& updates) {
    constexpr std::array busy{State::receiving, State::answering};
    const auto began = Clock::now();
    StepResult result;
    begin(goal.step);
    for (auto& peer : peers_)
        if (peer.state == State::idle && peer.done < goal.agreed) receive(peer, result);
    while (slowest() < goal.step) {
        auto& peer = next_of(busy, result);
        if (peer.state == State::answering) {
            end_answer(peer, result);
            if (peer.done < goal.agreed) receive(peer, result);
        } else {
            update(peer, context_of, updates, result);
            release(goal.agreed, result);
        }
    }
    result.step = since(began);
    return result;
}

StepResult MessageHandling::finish() {
    constexpr std::array answering{State::answering};
    const auto began = Clock::now();
    StepResult result;
    while (std::ranges::count(peers_, State::answering, &Peer::state) > 0)
        end_answer(next_of(answering, result), result);
    result.step = since(began);
    return result;
}

void MessageHandling::go_on_behind(const Past& past) {
    begun_ = true;
    updates_ = past.updates;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        const auto& before = past.peers.at(i);
        peers_[i].done = before.step;
        peers_[i].handled = before.handled;
        peers_[i].version = before.version;
    }
}

MessageHandling::Past MessageHandling::past() const {
    Past past{.updates = updates_, .peers = {}};
    for (const auto& peer : peers_)
        past.peers.push_back(
            {.step = peer.done, .handled = std::max(peer.done, peer.handled), .version = peer.version});
    return past;
}

/// A run begins, or goes on, where all peers have done the same steps.
void MessageHandling::begin(std::int64_t step) {
    if (std::exchange(begun_, true)) return;
    updates_ = (step - 1) * std::ssize(peers_);
    for (auto& peer : peers_) {
        peer.done = step - 1;
        peer.version = updates_;
    }
}

std::int64_t MessageHandling::slowest() const {
    return std::ranges::min_element(peers_, {}, &Peer::done)->done;
}

/// The exchanges of one peer end in the order of their starts, so only the first of each is asked for.
MessageHandling::Peer& MessageHandling::next_of(std::span<const State> states, StepResult& result) {
    const auto began = Clock::now();
    while (true) {
        tickets_.clear();
        waiting_.clear();
        for (auto& peer : peers_) {
            if (std::ranges::count(states, peer.state) == 0) continue;
            if (peer.arrived == peer.awaited.size()) {
                const Interval wait{began, Clock::now()};
                phase_.timer().add_wait(row_, wait);
                result.wait += wait.end - wait.start;
                return peer;
            }
            tickets_.push_back(peer.awaited[peer.arrived]);
            waiting_.push_back(&peer);
        }
        ++waiting_.at(communicator_.wait_any(tickets_))->arrived;
    }
}

void MessageHandling::receive(Peer& peer, StepResult& result) {
    result += phase_.run(peer.handler->receive, {});
    await(peer, State::receiving, peer.handler->update);
}

void MessageHandling::update(Peer& peer, const ContextOf& context_of, std::vector<UpdateRecord>& updates,
                             StepResult& result) {
    if (peer.done < peer.handled) {
        result += phase_.run(peer.handler->drop, {});
        ++peer.done;
        peer.state = State::held;
        return;
    }
    auto context = context_of(peer.handler->peer, peer.done + 1);
    context.step = updates_;
    result += phase_.run(peer.handler->update, context);
    ++peer.done;
    ++updates_;
    updates.push_back({.node = rank_,
                       .update = updates_,
                       .worker = peer.handler->peer,
                       .step = peer.done,
                       .version = peer.version,
                       .staleness = updates_ - 1 - peer.version,
                       .ahead = peer.ahead});
    peer.state = State::held;
}

void MessageHandling::release(std::int64_t agreed, StepResult& result) {
    const auto last = slowest();
    for (auto& peer : peers_) {
        if (peer.state != State::held) continue;
        constexpr auto any_number = std::numeric_limits<std::int64_t>::max();
        const auto most = peer.done == agreed ? 0 : routine_.most_ahead.value_or(any_number);
        if (peer.done - last > most) continue;
        peer.version = updates_;
        peer.ahead = peer.done - last;
        result += phase_.run(peer.handler->answer, {});
        await(peer, State::answering, peer.handler->sent);
    }
}

void MessageHandling::end_answer(Peer& peer, StepResult& result) {
    result += phase_.run(peer.handler->sent, {});
    peer.state = State::idle;
}

void MessageHandling::await(Peer& peer, State state, const Sequence& next) {
    peer.state = state;
    peer.awaited = phase_.awaited(next);
    peer.arrived = 0;
}

}  // namespace convoy
