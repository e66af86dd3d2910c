#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cluster/simulated_run.hpp"

using namespace convoy;

const PlannedFault* SimulatedRun::planned_fault(const Worker& worker) const {
    const auto found = std::ranges::find(plan_.faults, worker.index, &PlannedFault::worker);
    return found == plan_.faults.end() ? nullptr : &*found;
}

std::optional<Fault> SimulatedRun::fault_of(const Worker& worker) const {
    const auto* fault = planned_fault(worker);
    return fault != nullptr ? std::optional(fault->kind) : std::nullopt;
}

void SimulatedRun::appear(Worker& worker) {
    if (worker.by_hand) worker.alive = true;
    if (!worker.alive) return;
    const auto fault = fault_of(worker);
    if (fault == Fault::absent || (worker.by_hand && fault == Fault::start_fails)) {
        suffer(worker, 0);
        worker.stalled = true;
        return;
    }
    if (worker.by_hand && !door_open_) return die(worker, "ended with exit code 69", false);
    const auto id = ++last_link_;
    worker.link = id;
    auto& link = links_[id];
    link.worker = worker.index;
    link.opened_at_s = time_.now_s();
    event::Connected connected{.connection = id, .host = "10.0.0.1"};
    if (!worker.by_hand) connected.rank = current_rank(worker);
    tell(connected);
    // At the door, the launcher's connections greet, and not the machine.
    if (worker.by_hand) to_worker(id, [this](Worker& greeted) { say_hello(greeted); });
}

void SimulatedRun::say_hello(Worker& worker) {
    messages::Hello hello;
    hello.pid = 100 + static_cast<std::int64_t>(worker.index);
    hello.fabric = fmt::format("10.0.0.1:{}", 1000 + worker.index);
    if (!worker.by_hand) hello.rank = current_rank(worker);
    if (fault_of(worker) == Fault::version) {
        suffer(worker, 0);
        hello.version = "0.0.1";
    }
    tell_through(*worker.link, event::HelloCame{.connection = *worker.link, .hello = hello});
}

void SimulatedRun::say(Worker& worker, MemberMessage message) {
    if (worker.link)
        tell_through(*worker.link, event::Said{.connection = *worker.link, .message = std::move(message)});
}

void SimulatedRun::hear(Worker& worker, const LauncherMessage& message) {
    if (std::holds_alternative<told::Welcome>(message)) {
        worker.greeted_again = true;
        say_hello(worker);
    } else if (const auto* ping = std::get_if<told::Ping>(&message)) {
        if (!worker.stalled && !worker.at_barrier) worker.busy_us = time_.now_s() * 1e6;
        say(worker,
            said::Pong{.number = ping->number, .clock_us = time_.now_s() * 1e6, .busy_us = worker.busy_us});
    } else if (std::holds_alternative<told::Agreed>(message)) {
        if (!worker.agreeing) return;
        worker.agreeing = false;
        worker.has_state = worker.between_steps = agreed_once_ = true;
        go_on(worker);
    } else if (std::holds_alternative<told::Kept>(message)) {
        worker.checkpoint_on_its_way = false;
        go_on(worker);
    } else if (std::holds_alternative<told::Stop>(message)) {
        worker.stopping = true;
        say(worker, said::AtStep{.step = worker.begun});
    } else if (const auto* last = std::get_if<told::StopAfter>(&message)) {
        if (last->step < worker.begun) violate("a node is asked to stop at a step that it is beyond");
        worker.last = last->step;
        go_on(worker);
    } else if (std::holds_alternative<told::Pause>(message)) {
        worker.pausing = true;
        worker.pause_after.reset();
        say(worker, said::AtStep{.step = worker.begun});
    } else if (const auto* pause = std::get_if<told::PauseAfter>(&message)) {
        if (pause->step < worker.begun) violate("a node is asked to stand still at a step that it is beyond");
        worker.pause_after = pause->step;
        go_on(worker);
    } else if (std::holds_alternative<told::Suspend>(message)) {
        hear_suspend(worker);
    } else if (std::holds_alternative<told::GiveState>(message)) {
        if (!worker.suspended) violate("a worker that is not suspended is asked for its state");
        NodeCheckpoint state;
        state.step = worker.committed;
        say(worker, said::State{.checkpoint = std::move(state)});
    } else if (std::holds_alternative<told::Bye>(message)) {
        die(worker, "ended with exit code 0", true);
    } else if (const auto* abort = std::get_if<told::Abort>(&message)) {
        die(worker, fmt::format("ended with exit code {}", static_cast<int>(abort->problem.code)), false);
    }
}

/// The launcher lost a node. A worker that has said that it stands still says so once only, unless it has
/// said hello since.
void SimulatedRun::hear_suspend(Worker& worker) {
    if (worker.suspended && !worker.greeted_again) return;
    const messages::Problem reason{.code = ExitCode::node_lost, .message = "a peer is lost"};
    worker.lost_a_peer = true;
    worker.pausing = false;
    worker.pause_after.reset();
    if (!worker.has_state) {
        worker.failed = true;
        return say(worker, said::Failed{.problem = reason});
    }
    if (worker.suspended || worker.agreeing) return stand_still(worker, reason);
    if (worker.at_barrier) return report_lost_peer(worker, ExitCode::node_lost);
    go_on(worker);
}

void SimulatedRun::stand_still(Worker& worker, std::optional<messages::Problem> reason) {
    worker.suspended = true;
    worker.greeted_again = worker.agreeing = worker.at_barrier = worker.between_steps = false;
    say(worker, said::Suspended{.step = worker.committed, .problem = std::move(reason)});
}

void SimulatedRun::get_work(Worker& worker, std::int64_t rank) {
    worker.suspended = worker.lost_a_peer = worker.between_steps = worker.pausing = false;
    worker.pause_after.reset();
    worker.agreeing = true;
    worker.begun = worker.committed = members_.from_step();
    say(worker, NodeProgress{.rank = rank, .phase = "read"});
    time_.later(delay(0.3), [this, &worker, generation = members_.generation()] {
        if (!worker.alive || worker.hung || !worker.agreeing || generation != members_.generation()) return;
        if (suffer(worker, 0)) return;
        const bool differs = fault_of(worker) == Fault::fingerprint;
        say(worker, said::Agree{.fingerprints = {{"spec", differs ? "another" : "the same"}}});
    });
}

/// Between two steps: tells a checkpoint that is due, and begins the next step, as soon as it may.
void SimulatedRun::go_on(Worker& worker) {
    if (!worker.between_steps || worker.failed || worker.done || worker.stalled || worker.hung) return;
    if (worker.wants_checkpoint) {
        if (worker.checkpoint_on_its_way) return;
        NodeCheckpoint checkpoint;
        checkpoint.step = worker.begun;
        worker.wants_checkpoint = false;
        worker.checkpoint_on_its_way = true;
        say(worker, std::move(checkpoint));
    }
    if (worker.stopping && !worker.last) return;
    if (worker.pausing && worker.begun < plan_.steps) {
        if (!worker.pause_after) return;
        if (worker.begun >= *worker.pause_after) return stand_still(worker, std::nullopt);
    }
    worker.between_steps = false;
    const bool stopped = worker.last && worker.begun >= *worker.last;
    if (!stopped && worker.begun < plan_.steps) return begin_step(worker);
    // The last evaluation takes its time.
    time_.later(delay(plan_.slowest_evaluation_s), [this, &worker, stopped] {
        if (worker.alive && !worker.hung && !worker.failed) finish(worker, stopped);
    });
}

void SimulatedRun::begin_step(Worker& worker) {
    ++worker.begun;
    say(worker, NodeProgress{.phase = "train", .epoch = 1, .step = worker.begun});
    time_.later(delay(plan_.slowest_step_s), [this, &worker] {
        if (!worker.alive || worker.hung || worker.failed) return;
        const auto step = worker.begun;
        const bool amid = suffers_amid_sum(worker);
        if (!amid && suffer(worker, step)) return;
        arrive(worker);
        if (!amid) return;
        time_.later(delay(8 * slowest_turn_s()), [this, &worker, step, generation = members_.generation()] {
            if (generation == members_.generation() && worker.alive && !worker.failed) suffer(worker, step);
        });
    });
}

void SimulatedRun::finish(Worker& worker, bool stopped) {
    NodeRecords records;
    records.steps.push_back({.node = worker.rank.value_or(0), .epoch = 1, .step = worker.begun, .loss = 0.5});
    say(worker, std::move(records));
    if (worker.rank == 0) say(worker, said::Weights{});
    worker.done = true;
    if (stopped && worker.last != worker.begun) violate("a node stops after another step than was named");
    say(worker, said::Done{.stopped = stopped});
    time_.later(delay(0.05), [this, &worker] {
        if (worker.alive) suffer(worker, plan_.steps + 1);
    });
}

void SimulatedRun::report_lost_peer(Worker& worker, ExitCode code) {
    if (!worker.alive || worker.hung || worker.failed || worker.done || !worker.at_barrier) return;
    if (plan_.shrinks) {
        stand_still(worker, messages::Problem{.code = code, .message = "a peer is lost"});
        return close_links(worker);
    }
    worker.failed = true;
    say(worker, said::Failed{.problem = {.code = code, .message = "a peer is lost"}});
    close_links(worker);
}

void SimulatedRun::die(Worker& worker, const std::string& how, bool well) {
    if (!worker.alive) return;
    worker.alive = false;
    worker.at_barrier = false;
    if (!worker.by_hand)
        time_.later(delay(0.3), [this, &worker, how, well] {
            if (const auto rank = current_rank(worker))
                tell(event::ProcessEnded{.rank = *rank, .how = how, .well = well});
        });
    if (worker.link)
        tell_through(*worker.link, event::Closed{.connection = *worker.link, .how = "closed the connection"});
    close_links(worker);
}

std::optional<Fault> SimulatedRun::due_fault(const Worker& worker, std::int64_t stage) const {
    const auto* fault = planned_fault(worker);
    return fault != nullptr && fault->stage == stage ? std::optional(fault->kind) : std::nullopt;
}

bool SimulatedRun::suffers_amid_sum(const Worker& worker) {
    constexpr std::array kinds{Fault::kill, Fault::hang, Fault::cut, Fault::unlink};
    const auto due = due_fault(worker, worker.begun);
    return due && std::ranges::count(kinds, *due) > 0 && delay(1.0) < 0.5;
}

bool SimulatedRun::suffer(Worker& worker, std::int64_t stage) {
    const auto due = due_fault(worker, stage);
    if (!due) return false;
    const bool is_first = suffered_.insert(static_cast<std::int64_t>(worker.index)).second;
    if (is_first) last_fault_s_ = time_.now_s();
    switch (*due) {
        case Fault::kill: die(worker, "was killed by signal 9 (Killed)", false); return true;
        case Fault::error:
            worker.failed = true;
            say(worker, said::Failed{.problem = {.code = ExitCode::data, .message = "label 11"}});
            close_links(worker);
            return true;
        case Fault::garble:
            tell_through(*worker.link, event::Garbled{.connection = *worker.link,
                                                      .problem = {.code = ExitCode::data, .message = "?"}});
            return true;
        case Fault::hang: worker.hung = true; return true;
        case Fault::stall: worker.stalled = true; return true;
        case Fault::unlink:
            // The step is taken again, or nobody is left to be linked to.
            if (!is_first || members_.count() == 1) return false;
            close_links(worker);
            worker.lost_a_peer = true;
            return false;
        case Fault::cut:
            worker.cut = true;
            // It hears nothing from the launcher any more, and ends by itself.
            time_.later(simulated_deadline_s * 1.5,
                        [this, &worker] { die(worker, "ended with exit code 74", false); });
            return false;
        default: return false;
    }
}
