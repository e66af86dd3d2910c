#include "cluster/simulated_run.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace convoy;

namespace {

constexpr double join_deadline_s = 5.0;
constexpr double longest_s = 600.0;
constexpr int most_events = 100'000;

MembershipOptions options_of(const HistoryPlan& plan) {
    MembershipOptions options{.seats = {},
                              .deadline_s = simulated_deadline_s,
                              .join_deadline_s = join_deadline_s,
                              .shrinks = plan.shrinks};
    for (std::size_t rank = 0; rank < plan.nodes; ++rank)
        options.seats.push_back({.by_hand = rank >= plan.nodes - plan.by_hand, .threads = 1});
    return options;
}

}  // namespace

SimulatedRun::SimulatedRun(HistoryPlan plan, bool verbose)
    : plan_(std::move(plan)),
      verbose_(verbose),
      engine_(plan_.seed),
      membership_(options_of(plan_)),
      workers_(plan_.nodes),
      members_(plan_.nodes) {
    plan_.faults.insert(plan_.faults.end(), plan_.later_faults.begin(), plan_.later_faults.end());
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i].index = i;
        workers_[i].place = static_cast<std::int64_t>(i);
        workers_[i].by_hand = i >= plan_.nodes - plan_.by_hand;
    }
    links_of_members_ = new_links();
}

void SimulatedRun::play() {
    perform_all(membership_.begin(time_.clock()));
    for (auto& worker : workers_)
        if (worker.by_hand) time_.later(delay(1.5), [this, &worker] { appear(worker); });
    for (const auto& stranger : plan_.strangers)
        time_.later(stranger.at_s, [this, kind = stranger.kind] { stranger_comes(kind); });
    for (const auto at : plan_.signals_at_s)
        time_.later(at, [this] {
            ++signals_;
            if (!assigned_) signalled_before_assigned_ = true;
            tell(event::Signalled{});
        });
    if (plan_.stop_wanted_at_s)
        time_.later(*plan_.stop_wanted_at_s, [this] {
            if (!assigned_) return;  // there are no records yet
            stop_wanted_ = true;
            tell(event::StopWanted{});
        });
    while (!membership_.is_over() && time_.now_s() < longest_s && violations_.empty()) {
        const auto due = membership_.next_due();
        if (!due) return violate("the machine waits for nothing");
        const double due_s = awake_at(std::max(time_.now_s(), time_.when_clock_shows(*due)));
        if (const auto next_s = time_.next_s(); !next_s || due_s < *next_s) {
            time_.pass_to(due_s + 1e-6);
            tell(event::TimePassed{});
            links_of_members_->poll();
        } else {
            take_next();
        }
    }
    close_all_links();
    check_end();
}

void SimulatedRun::take_next() {
    time_.take_next();
    links_of_members_->poll();
}

double SimulatedRun::awake_at(double time_s) const {
    const double end_s = plan_.stopped_at_s + plan_.stopped_for_s;
    return time_s >= plan_.stopped_at_s && time_s < end_s ? end_s : time_s;
}

void SimulatedRun::tell(MembershipEvent event) {
    if (awake_at(time_.now_s()) > time_.now_s())
        return time_.later(awake_at(time_.now_s()) - time_.now_s(),
                           [this, event = std::move(event)] { tell(event); });
    note(fmt::format("event {}", event.index()));
    if (++events_ > most_events) return violate("the run goes in circles");
    note_evidence(event);
    const bool over = membership_.is_over();
    const bool failed = membership_.verdict().error.has_value();
    const auto actions = spoiled(membership_.handle(std::move(event), time_.clock()));
    if (over && !actions.empty()) violate("an action after the end");
    perform_all(actions);
    if (!failed) check_notice();
    if (!failed && membership_.verdict().error) check_may_fail();
    go_on();
}

void SimulatedRun::go_on() {
    if (!membership_.regrouping()) return;
    const auto regrouping = spoiled(*membership_.regrouping());
    check_regrouping(regrouping);
    regroup(regrouping);
    note(fmt::format("{} workers go on after step {}", members_.count(), regrouping.step));
    close_all_links();
    links_of_members_ = new_links();
    assigned_ = false;
    lost_.reset();
    ranks_lost_.clear();
    first_cause_.reset();
    first_evidence_s_.reset();
    state_of_step_.reset();
    membership_ = Membership(options_after(regrouping));
    perform_all(membership_.begin(time_.clock()));
    for (const auto index : members_.workers()) {
        const auto& worker = workers_[index];
        auto& link = links_.at(worker.link.value());
        link.admitted = link.told_to_suspend = false;
        tell(event::ProcessStarted{.rank = *current_rank(worker),
                                   .pid = 100 + static_cast<std::int64_t>(index)});
        if (!link.open) continue;
        tell(event::Connected{.connection = *worker.link, .host = "10.0.0.1", .rank = current_rank(worker)});
    }
    if (members_.someone_waits()) tell(event::NewcomerWaits{});
}

void SimulatedRun::regroup(const Regrouping& regrouping) {
    std::vector<SimulatedMembers::Member> joining;
    if (state_of_step_ == regrouping.step)
        for (const auto& newcomer : members_.take_waiting())
            if (workers_[newcomer.worker].alive) joining.push_back(newcomer);
    for (const auto& gone : members_.regroup(regrouping, joining)) {
        workers_[gone.worker].gone = true;
        if (plan_.grows) replace(workers_[gone.worker]);
    }
    for (const auto& joined : joining) workers_[joined.worker].gone = false;
}

MembershipOptions SimulatedRun::options_after(const Regrouping& regrouping) const {
    auto options = options_of(plan_);
    options.seats.clear();
    for (const auto index : members_.workers())
        options.seats.push_back({.threads = 1, .joins = !workers_[index].has_state});
    options.begun = true;
    if (members_.go_on_in_vain()) options.waited_in_vain_at = members_.from_step();
    options.signals = regrouping.signals;
    options.stop_wanted = regrouping.stop_wanted;
    options.has_results = regrouping.has_results;
    return options;
}

MembershipActions SimulatedRun::spoiled(MembershipActions actions) const {
    const auto is_bad = [this](const MembershipAction& action) {
        const auto* end = std::get_if<action::EndProcess>(&action);
        const auto* send = std::get_if<action::Send>(&action);
        if (plan_.bug == Bug::lets_live) return end != nullptr && end->by_force;
        return plan_.bug == Bug::forgets && send != nullptr && send->connection == 1 &&
               std::holds_alternative<told::Suspend>(send->message);
    };
    std::erase_if(actions, is_bad);
    return actions;
}

Regrouping SimulatedRun::spoiled(Regrouping regrouping) const {
    if (plan_.bug == Bug::keeps_ghost && std::ssize(regrouping.ranks) < members_.count()) {
        regrouping.ranks.clear();
        for (std::int64_t rank = 0; rank < members_.count(); ++rank) regrouping.ranks.push_back(rank);
    }
    if (plan_.bug == Bug::steps_back && !regrouping.behind.empty()) --regrouping.step;
    if (plan_.bug == Bug::keeps_behind) regrouping.behind.clear();
    return regrouping;
}

void SimulatedRun::replace(const Worker& lost) {
    auto& worker = workers_.emplace_back();
    worker.index = workers_.size() - 1;
    worker.place = lost.place;
    worker.gone = true;
    time_.later(delay(1.0), [this, &worker] {
        worker.alive = true;
        worker.link = ++last_link_;
        auto& link = links_[last_link_];
        link.worker = worker.index;
        link.opened_at_s = time_.now_s();
        members_.wait_to_join({.worker = worker.index, .place = worker.place});
        note(fmt::format("worker {} waits to join at place {}", worker.index, worker.place));
        tell(event::NewcomerWaits{});
    });
}

// Messages of one connection arrive in order.
void SimulatedRun::tell_through(ConnectionId id, MembershipEvent event) {
    auto& link = links_.at(id);
    if (link.worker && workers_[*link.worker].cut) return;
    link.up_at_s = awake_at(std::max(link.up_at_s, time_.now_s() + delay(plan_.slowest_message_s)));
    const bool closes = std::holds_alternative<event::Closed>(event);
    time_.later(link.up_at_s - time_.now_s(), [this, id, closes, event = std::move(event)] {
        auto& arrived = links_.at(id);
        if (!arrived.open) return;
        if (closes) arrived.open = false;
        tell(event);
    });
}

void SimulatedRun::to_worker(ConnectionId id, std::function<void(Worker&)> hear_it) {
    auto& link = links_.at(id);
    if (!link.worker) return;
    link.down_at_s = std::max(link.down_at_s, time_.now_s() + delay(plan_.slowest_message_s));
    time_.later(link.down_at_s - time_.now_s(), [this, index = *link.worker, hear_it = std::move(hear_it)] {
        auto& worker = workers_[index];
        if (worker.alive && !worker.hung && !worker.cut) hear_it(worker);
    });
}

void SimulatedRun::perform_all(const MembershipActions& actions) {
    for (const auto& action : actions) {
        note(fmt::format("  action {}", action.index()));
        std::visit([this](const auto& wanted) { perform(wanted); }, action);
    }
}

void SimulatedRun::perform(const action::Start& start) {
    auto& worker = worker_at(start.rank);
    if (worker.by_hand || members_.generation() > 0) return;
    time_.later(delay(plan_.slowest_start_s), [this, &worker, rank = start.rank] {
        if (fault_of(worker) == Fault::start_fails) {
            suffer(worker, 0);
            tell(event::StartFailed{.rank = rank,
                                    .problem = {.code = ExitCode::unavailable,
                                                .message = fmt::format("node {} cannot start", rank)}});
            return;
        }
        worker.alive = true;
        time_.later(delay(0.2), [this, &worker] { appear(worker); });
        tell(event::ProcessStarted{.rank = rank, .pid = 100 + rank});
    });
}

void SimulatedRun::perform(const action::EndProcess& end) {
    auto& worker = worker_at(end.rank);
    // Under way, the end of a lost worker is no end of the run.
    if (!plan_.shrinks || membership_.verdict().error) ending_ = true;
    if (worker.by_hand) violate("a process that somebody else started is ended");
    if (worker.hung && !end.by_force) return;
    time_.later(delay(0.3), [this, &worker, number = end.by_force ? 9 : 15] {
        if (worker.alive) die(worker, fmt::format("was killed by signal {}", number), false);
    });
}

void SimulatedRun::perform(const action::CloseDoor& /*close*/) {
    door_open_ = false;
}

void SimulatedRun::perform(const action::Admit& admit) {
    auto& link = links_.at(admit.connection);
    if (!link.worker) violate("a stranger is admitted");
    link.admitted = true;
}

void SimulatedRun::perform(const action::Refuse& refuse) {
    auto& link = links_.at(refuse.connection);
    if (!link.open) violate("a closed connection is refused");
    if (link.admitted) violate("a member is refused");
    link.open = false;
    to_worker(refuse.connection, [this](Worker& worker) { die(worker, "ended with exit code 69", false); });
}

void SimulatedRun::perform(const action::Close& close) {
    auto& link = links_.at(close.connection);
    if (!link.worker && time_.now_s() - link.opened_at_s > simulated_deadline_s + plan_.stopped_for_s + 0.1)
        violate("a silent connection was kept for longer than the deadline");
    const bool was_open = link.open;
    link.open = false;
    if (link.worker && workers_[*link.worker].by_hand && !link.admitted)
        return to_worker(close.connection, [this](Worker& worker) {
            // It was displaced before the launcher knew it, and comes again.
            time_.later(delay(0.1), [this, &worker] { appear(worker); });
        });
    if (link.worker)
        return to_worker(close.connection,
                         [this](Worker& worker) { die(worker, "ended with exit code 74", false); });
    // A stranger's socket sees the end, and so does the launcher's own coroutine.
    if (!was_open || membership_.is_over()) return;
    time_.later(0.0,
                [this, id = close.connection] { tell(event::Closed{.connection = id, .how = "closed"}); });
}

void SimulatedRun::perform(const action::Send& send) {
    auto& link = links_.at(send.connection);
    if (!link.open) violate("a message for a connection that is closed");
    const bool welcome = std::holds_alternative<told::Welcome>(send.message);
    // Who was a member before may be told to stand still before it has said hello to the next membership.
    const bool was_member = link.worker && workers_[*link.worker].has_state &&
                            current_rank(workers_[*link.worker]) &&
                            std::holds_alternative<told::Suspend>(send.message);
    if (!link.admitted && !welcome && !was_member) violate("a message for a connection that is no member's");
    if (std::holds_alternative<told::Bye>(send.message) || std::holds_alternative<told::Abort>(send.message))
        ++link.last_words;
    if (std::holds_alternative<told::Bye>(send.message))
        for (const auto& worker : workers_)
            if (!worker.done && !worker.gone) violate("bye before all nodes are done");
    if (std::holds_alternative<told::Suspend>(send.message)) link.told_to_suspend = true;
    to_worker(send.connection, [this, message = send.message](Worker& worker) { hear(worker, message); });
}

void SimulatedRun::perform(const action::Assign& assign) {
    assigned_ = true;
    auto& link = links_.at(assign.connection);
    if (!link.open || !link.admitted) return violate("work for a connection that is no member's");
    if (std::ssize(assign.peers) != members_.count()) violate("work with too few peers");
    workers_[*link.worker].rank = assign.rank;
    to_worker(assign.connection, [this, rank = assign.rank](Worker& worker) { get_work(worker, rank); });
}

void SimulatedRun::perform(const action::TakeRecords& take) {
    if (!take.records.steps.empty()) results_came_ = true;
}

void SimulatedRun::perform(const action::TakeWeights& /*take*/) {}

void SimulatedRun::perform(const action::TakeCheckpoint& take) {
    if (told_checkpoints_.contains(take.rank)) violate("two checkpoints of one node at a time");
    told_checkpoints_[take.rank] = take.checkpoint.step;
}

void SimulatedRun::perform(const action::TakeState& take) {
    state_of_step_ = take.state.step;
}

void SimulatedRun::perform(const action::KeepCheckpoint& keep) {
    if (told_checkpoints_.size() != plan_.nodes) violate("a checkpoint of some nodes only is kept");
    for (const auto& [rank, step] : told_checkpoints_)
        if (step != keep.step) violate("a checkpoint of different steps is kept");
    if (keep.step <= kept_step_) violate("an older checkpoint is kept");
    kept_step_ = keep.step;
    told_checkpoints_.clear();
    time_.later(delay(0.5), [this] { tell(event::CheckpointKept{}); });
}

void SimulatedRun::perform(const action::ShowProgress& /*show*/) {}

void SimulatedRun::perform(const action::TellLost& tell) {
    if (lost_ && !plan_.shrinks) violate("two losses end one run");
    if (!lost_) lost_ = tell.lost;
    if (tell.lost.rank) ranks_lost_.insert(*tell.lost.rank);
    note("  lost: " + tell.lost.cause);
}

void SimulatedRun::perform(const action::TellFault& /*tell*/) {}
void SimulatedRun::perform(const action::TellAgreed& /*tell*/) {}

void SimulatedRun::perform(const action::Notice& notice) {
    note("  notice: " + notice.line);
}

void SimulatedRun::stranger_comes(Stranger kind) {
    const int count = kind == Stranger::flood ? 70 : 1;
    if (!door_open_) return;
    for (int i = 0; i < count; ++i) {
        const auto id = ++last_link_;
        auto& link = links_[id];
        link.opened_at_s = time_.now_s();
        link.stranger = kind;
        const auto host = fmt::format("10.0.0.{}", 9 + i % 4);
        tell(event::Connected{.connection = id, .host = host});
        if (!links_.at(id).open) continue;
        if (kind == Stranger::nonsense)
            tell_through(id, event::Garbled{.connection = id,
                                            .problem = {.code = ExitCode::data, .message = "nonsense"}});
        if (kind == Stranger::hangs_up) tell_through(id, event::Closed{.connection = id, .how = "hung up"});
        if (kind == Stranger::wrong_token)
            tell_through(id,
                         event::Garbled{.connection = id,
                                        .problem = {.code = ExitCode::unavailable, .message = "unproved"}});
        if (kind != Stranger::too_late) continue;
        messages::Hello hello;
        hello.pid = 7;
        hello.rank = static_cast<std::int64_t>(plan_.nodes);
        tell_through(id, event::HelloCame{.connection = id, .hello = hello});
    }
}

void SimulatedRun::violate(std::string text) {
    note("violated: " + text);
    violations_.push_back(std::move(text));
}

void SimulatedRun::note(const std::string& line) {
    if (verbose_) log_.push_back(fmt::format("{:9.4f} {}", time_.now_s(), line));
}
