#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "cluster/simulated_run.hpp"

using namespace convoy;

namespace {

/// A node tells its peers the cause of a failure for so long.
constexpr double grace_s = Seconds(usual_grace).count();

/// The longest time for which a call on a link waits for its turn.
double slowest_turn_s(const HistoryPlan& plan) {
    return std::min(plan.slowest_message_s, 0.03);
}

/// What a worker adds to the sum of a step: another number for each worker and step, and small enough that
/// floats hold the sums.
float part_of_sum(std::size_t worker, std::int64_t step) {
    return static_cast<float>(100 * static_cast<std::int64_t>(worker) + step);
}

}  // namespace

std::unique_ptr<SimulatedLinks> SimulatedRun::new_links() {
    constexpr std::array algorithms{AllReduceAlgorithm::ring, AllReduceAlgorithm::halving_doubling,
                                    AllReduceAlgorithm::recursive_doubling, AllReduceAlgorithm::tree,
                                    AllReduceAlgorithm::pairwise};
    // Does something with a member, later; the links of an older membership do nothing more.
    const auto act_later = [this, generation = generation_](std::int64_t rank, double delay_s,
                                                            std::function<void(Worker&)> act) {
        later(delay_s, [this, generation, rank, act = std::move(act)] {
            if (generation == generation_) act(worker_at(rank));
        });
    };
    return std::make_unique<SimulatedLinks>(
        std::ssize(worker_of_rank_), algorithms.at(plan_.seed % algorithms.size()),
        SimulatedLinks::Events{
            .wants_turn =
                [this, act_later](std::int64_t rank, std::int64_t peer, std::function<void()> go_on) {
                    act_later(rank, delay(slowest_turn_s(plan_)),
                              [this, peer, go_on = std::move(go_on)](const Worker& worker) {
                                  // What is sent to or from a worker that is cut off does not arrive.
                                  if (!worker.hung && !worker.cut && !worker_at(peer).cut) go_on();
                              });
                },
            .moved =
                [this, generation = generation_](std::int64_t rank) {
                    if (generation == generation_) worker_at(rank).moved_s = now_s_;
                },
            .failed =
                [this, act_later](std::int64_t rank) {
                    act_later(rank, grace_s, [this](const Worker& worker) { close_links(worker); });
                },
            .ended =
                [this, act_later](std::int64_t rank, float sum, ExitCode code) {
                    act_later(rank, 0.0, [this, sum, code](Worker& worker) { end_sum(worker, sum, code); });
                }});
}

std::optional<Fault> SimulatedRun::fault_of(const Worker& worker) const {
    for (const auto& fault : plan_.faults)
        if (fault.worker == worker.index) return fault.kind;
    return std::nullopt;
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
    link.opened_at_s = now_s_;
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
        if (!worker.stalled && !worker.at_barrier) worker.busy_us = now_s_ * 1e6;
        say(worker, said::Pong{.number = ping->number, .clock_us = now_s_ * 1e6, .busy_us = worker.busy_us});
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
    worker.begun = worker.committed = from_step_;
    say(worker, NodeProgress{.rank = rank, .phase = "read"});
    later(delay(0.3), [this, &worker, generation = generation_] {
        if (!worker.alive || worker.hung || !worker.agreeing || generation != generation_) return;
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
    later(delay(plan_.slowest_evaluation_s), [this, &worker, stopped] {
        if (worker.alive && !worker.hung && !worker.failed) finish(worker, stopped);
    });
}

void SimulatedRun::begin_step(Worker& worker) {
    ++worker.begun;
    say(worker, NodeProgress{.phase = "train", .epoch = 1, .step = worker.begun});
    later(delay(plan_.slowest_step_s), [this, &worker] {
        if (!worker.alive || worker.hung || worker.failed) return;
        const auto step = worker.begun;
        const bool amid = suffers_amid_sum(worker);
        if (!amid && suffer(worker, step)) return;
        arrive(worker);
        if (!amid) return;
        later(delay(8 * slowest_turn_s(plan_)), [this, &worker, step, generation = generation_] {
            if (generation == generation_ && worker.alive && !worker.failed) suffer(worker, step);
        });
    });
}

/// The worker's part of the step is computed, and its sum with the others begins.
void SimulatedRun::arrive(Worker& worker) {
    worker.at_barrier = true;
    if (worker.lost_a_peer) return report_lost_peer(worker, ExitCode::node_lost);
    worker.moved_s = now_s_;
    watch_sum(worker);
    const bool is_old = plan_.bug == Bug::sums_old_part && generation_ > 0 && worker.begun == from_step_ + 1;
    links_of_members_->sum(current_rank(worker).value(),
                           part_of_sum(worker.index, worker.begun - (is_old ? 1 : 0)));
}

void SimulatedRun::watch_sum(Worker& worker) {
    later(worker.moved_s + simulated_deadline_s - now_s_,
          [this, &worker, step = worker.begun, generation = generation_] {
              if (!worker.at_barrier || worker.begun != step || generation != generation_) return;
              if (now_s_ < worker.moved_s + simulated_deadline_s) return watch_sum(worker);
              report_lost_peer(worker, ExitCode::deadline);
          });
}

void SimulatedRun::end_sum(Worker& worker, float sum, ExitCode code) {
    if (!worker.alive || worker.hung || worker.failed || !worker.at_barrier) return;
    const auto step = worker.begun;
    if (code != ExitCode::done) return report_lost_peer(worker, code);
    float whole = 0.0F;
    for (const auto index : worker_of_rank_) whole += part_of_sum(index, step);
    if (sum != whole)
        violate(fmt::format("worker {} sums {} in step {}, and all members together {}", worker.index, sum,
                            step, whole));
    leave_barrier(worker, step);
}

/// The worker has the sum of the step.
void SimulatedRun::leave_barrier(Worker& worker, std::int64_t step) {
    if (plan_.suspended_after_step == step) {
        plan_.suspended_after_step = 0;
        slept_s_ += 60;
    }
    if (worker.committed + 1 != step) violate("a worker leaves out a step, or takes it twice");
    worker.at_barrier = false;
    worker.committed = step;
    worker.between_steps = true;
    worker.wants_checkpoint = plan_.checkpoint_every > 0 && step % plan_.checkpoint_every == 0;
    go_on(worker);
}

void SimulatedRun::finish(Worker& worker, bool stopped) {
    NodeRecords records;
    records.steps.push_back({.node = worker.rank.value_or(0), .epoch = 1, .step = worker.begun, .loss = 0.5});
    say(worker, std::move(records));
    if (worker.rank == 0) say(worker, said::Weights{});
    worker.done = true;
    if (stopped && worker.last != worker.begun) violate("a node stops after another step than was named");
    say(worker, said::Done{.stopped = stopped});
    later(delay(0.05), [this, &worker] {
        if (worker.alive) suffer(worker, plan_.steps + 1);
    });
}

/// The links of a worker to its peers close, as those of a process that ends. Of a worker that is cut off
/// nobody sees it.
void SimulatedRun::close_links(const Worker& worker) {
    if (worker.cut) return;
    if (const auto rank = current_rank(worker)) links_of_members_->close(*rank);
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
        later(delay(0.3), [this, &worker, how, well] {
            if (const auto rank = current_rank(worker))
                tell(event::ProcessEnded{.rank = *rank, .how = how, .well = well});
        });
    if (worker.link)
        tell_through(*worker.link, event::Closed{.connection = *worker.link, .how = "closed the connection"});
    close_links(worker);
}

bool SimulatedRun::suffers_amid_sum(const Worker& worker) {
    const auto planned = std::ranges::find(plan_.faults, worker.index, &PlannedFault::worker);
    if (planned == plan_.faults.end() || planned->stage != worker.begun) return false;
    constexpr std::array kinds{Fault::kill, Fault::hang, Fault::cut, Fault::unlink};
    return std::ranges::count(kinds, planned->kind) > 0 && delay(1.0) < 0.5;
}

bool SimulatedRun::suffer(Worker& worker, std::int64_t stage) {
    const auto planned = std::ranges::find(plan_.faults, worker.index, &PlannedFault::worker);
    if (planned == plan_.faults.end() || planned->stage != stage) return false;
    const bool is_first = suffered_.insert(static_cast<std::int64_t>(worker.index)).second;
    if (is_first) last_fault_s_ = now_s_;
    switch (planned->kind) {
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
            if (!is_first || worker_of_rank_.size() == 1) return false;
            close_links(worker);
            worker.lost_a_peer = true;
            return false;
        case Fault::cut:
            worker.cut = true;
            // It hears nothing from the launcher any more, and ends by itself.
            later(simulated_deadline_s * 1.5,
                  [this, &worker] { die(worker, "ended with exit code 74", false); });
            return false;
        default: return false;
    }
}
