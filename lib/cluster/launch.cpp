#include "cluster/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/error.hpp"
#include "cluster/control_messages.hpp"
#include "cluster/join_token.hpp"
#include "cluster/messages.hpp"
#include "cluster/seats.hpp"

namespace convoy {

namespace {

std::optional<TlsContext> tls_context_of(const LaunchOptions& options) {
    return options.tls ? std::optional<TlsContext>(std::in_place, *options.tls) : std::nullopt;
}

[[noreturn]] void throw_problem(const messages::Problem& problem) {
    switch (problem.code) {
        case ExitCode::unavailable: throw ClusterError(problem.message);
        case ExitCode::node_lost: throw NodeLostError(problem.message);
        case ExitCode::deadline: throw DeadlineError(problem.message);
        case ExitCode::disagreement: throw DisagreementError(problem.message);
        case ExitCode::interrupted: throw InterruptedError(problem.message);
        default: throw Error(problem.code, problem.message);
    }
}

}  // namespace

Launch::Launch(const LaunchOptions& options, LaunchObserver& observer)
    : signals_(io_,
               [this] {
                   harvest_.note_interrupted();
                   observer_.on_interrupted();
                   deliver(event::Signalled{});
               }),
      options_(options),
      observer_(observer),
      token_(options.token.value_or(random_token())),
      generation_(options),
      membership_(generation_.membership_options()),
      harvest_(generation_.seats().size(), options.resume, options.sink, options.weights_from),
      pump_(io_, machine()),
      links_(io_, {.run = generation_.run(), .token = token_, .tls = tls_context_of(options)},
             [this](MembershipEvent event) { hear(std::move(event)); }),
      starter_(io_.get_executor(), options, observer),
      newcomers_({.options = options,
                  .observer = observer,
                  .starter = starter_,
                  .links = links_,
                  .watch = [this](std::int64_t place) { return watch_of(place); },
                  .deliver = [this](MembershipEvent event) { deliver(std::move(event)); },
                  .run_is_over = [this] { return membership_.is_over(); }},
                 seats_of(options)),
      faults_({options.spec.faults.at_steps, options.timed_faults}, {.membership = membership_,
                                                                     .processes = generation_.processes(),
                                                                     .starter = starter_,
                                                                     .links = links_,
                                                                     .observer = observer}),
      keeper_(io_, options.keep_checkpoint,
              [this](const std::optional<std::string>& problem) { note_kept(problem); }) {}

RunOutcome Launch::run() {
    try {
        start();
    } catch (...) {
        for (const auto& left : starter_.remove_hosts()) observer_.on_notice("warning: " + left);
        throw;
    }
    if (!membership_.is_over()) signals_.let_through();
    pump_.run();
    signals_.pass_on();
    auto leftovers = starter_.remove_hosts();
    const auto verdict = membership_.verdict();
    // A membership that is over hears of no bug.
    const bool is_untold = pump_.bug() && !verdict.error;
    if (verdict.error || is_untold) {
        for (const auto& left : leftovers) observer_.on_notice("warning: " + left);
        harvest_.save_weights();
        if (is_untold || (pump_.bug() && verdict.error->code == ExitCode::bug))
            std::rethrow_exception(pump_.bug());
        throw_problem(*verdict.error);
    }
    auto all = outcome(verdict.interrupted, std::move(leftovers));
    if (harvest_.problem()) throw OutputError(*harvest_.problem());
    return all;
}

RunOutcome Launch::outcome(bool interrupted, std::vector<std::string> leftovers) {
    auto outcome = harvest_.finish(membership_.members());
    outcome.status = interrupted ? RunStatus::interrupted : RunStatus::done;
    outcome.network = starter_.network();
    outcome.warnings = std::move(warnings_);
    outcome.warnings.insert(outcome.warnings.end(), leftovers.begin(), leftovers.end());
    for (const auto& member : membership_.members())
        if (!member.process_end.empty() && !interrupted)
            outcome.warnings.push_back(
                fmt::format("{} {} after its work was done", member.label(), member.process_end));
    return outcome;
}

void Launch::start() {
    starter_.open();
    if (std::ranges::count(generation_.seats(), true, &Seat::by_hand) > 0)
        observer_.on_listening(links_.open(starter_.address(), options_.port));
    signals_.listen();
    pump_.begin([this] { carry_out(membership_.begin(Clock::now())); });
}

EventPump::Machine Launch::machine() {
    return {.handle =
                [this](MembershipEvent event) {
                    if (std::holds_alternative<event::TimePassed>(event)) observer_.on_time_passed();
                    carry_out(membership_.handle(std::move(event), Clock::now()));
                },
            .settle = [this] { return settle(); },
            .rest =
                [this] {
                    if (membership_.is_over()) finish();
                },
            .next_due = [this] { return next_due(); }};
}

bool Launch::settle() {
    if (go_on()) return true;
    if (!membership_.is_over()) newcomers_.start_due();
    faults_.do_due();
    return false;
}

void Launch::finish() {
    newcomers_.end_all();
    signals_.stop();  // the next ones are for whoever listens after this run
    pump_.stop_waiting();
    links_.close_all();
}

void Launch::carry_out(MembershipActions actions) {
    for (auto& action : actions) std::visit([this](auto& wanted) { perform(wanted); }, action);
}

std::optional<TimePoint> Launch::next_due() const {
    auto due = membership_.next_due();
    if (!due || pump_.bug()) return due;  // the pump calls settle() no more
    if (const auto newcomer = newcomers_.next_due()) due = std::min(*due, *newcomer);
    if (const auto fault = faults_.next_due()) due = std::min(*due, *fault);
    return due;
}

bool Launch::go_on() {
    if (!membership_.regrouping()) return false;
    const auto regrouping = *membership_.regrouping();
    newcomers_.note_step(regrouping.step);
    replace_lost(regrouping);
    // A newcomer that came too late for the state waits for the next time.
    const bool may_join = generation_.has_state_of(regrouping.step);
    generation_.go_on(regrouping, membership_.members(),
                      may_join ? newcomers_.take_ready() : std::vector<Newcomers::Ready>());
    faults_.note_disturbance();
    harvest_.go_on_with(generation_.seats().size());
    membership_ = Membership(generation_.membership_options());
    for (const auto rank : regrouping.behind)
        observer_.on_detail(fmt::format("node {} was a step behind, and takes the state of another", rank));
    observer_.on_goes_on(generation_.going_on());
    try {
        carry_out(membership_.begin(Clock::now()));
    } catch (...) {
        pump_.note_bug();
    }
    if (newcomers_.is_any_ready()) deliver(event::NewcomerWaits{});
    return true;
}

void Launch::replace_lost(const Regrouping& regrouping) {
    for (const auto& member : membership_.members()) {
        if (!member.lost) continue;
        const bool apart = generation_.is_apart();
        warnings_.push_back(fmt::format(
            "{} was lost, and the other nodes went on {}; the tables lack its last "
            "steps, and sums of that epoch lack its examples{}",
            member.label(), apart ? "from their own steps" : fmt::format("after step {}", regrouping.step),
            apart ? "; its share of later batches was left out" : ""));
        newcomers_.wait_for(generation_.processes().at(member.info.rank).place);
    }
}

void Launch::hear(MembershipEvent event) {
    // A node that goes on connects again under its new rank, which may be the place of a newcomer.
    const auto* connected = std::get_if<event::Connected>(&event);
    const bool is_known =
        connected != nullptr && generation_.processes().has_connection(connected->connection);
    if (!is_known && newcomers_.hear(event)) return;
    // A worker knows the rank for which it was started.
    auto* hello = std::get_if<event::HelloCame>(&event);
    if (hello != nullptr && generation_.number() > 0 && hello->hello.rank)
        hello->hello.rank = generation_.processes().rank_of(*hello->hello.rank);
    deliver(std::move(event));
}

void Launch::perform(const action::Start& start) {
    const auto rank = start.rank;
    auto& own = generation_.processes().at(rank);
    if (generation_.number() > 0) {
        deliver(event::ProcessStarted{.rank = rank, .pid = own.pid});
        return links_.introduce_again(own.connection, rank);
    }
    try {
        auto started = starter_.start({.rank = rank, .threads = start.threads}, watch_of(rank));
        if (!started) return;
        own.pid = started->pid;
        deliver(event::ProcessStarted{.rank = rank, .pid = started->pid});
        own.connection = links_.adopt(std::move(started->control), rank, started->host);
    } catch (const Error& error) {
        deliver(event::StartFailed{.rank = rank, .problem = {.code = error.code(), .message = error.what()}});
    }
}

NodeWatch Launch::watch_of(std::int64_t place) {
    return {.on_end = [this, place](const NodeProcessEnd& end) { note_end(place, end); },
            .on_line =
                [this, place](const std::string& line) {
                    observer_.on_node_line(generation_.processes().rank_of(place).value_or(place), line);
                }};
}

void Launch::note_end(std::int64_t place, const NodeProcessEnd& end) {
    if (newcomers_.is_started(place)) return newcomers_.ended(place, end.how);
    const auto rank = generation_.processes().rank_of(place);
    if (!rank) return;
    observer_.on_detail(fmt::format("the process of node {} has ended", *rank));
    // The last messages tell in which step it ended.
    links_.after_last_message(generation_.processes().at(*rank).connection, [=, this] {
        if (const auto now = generation_.processes().rank_of(place))
            deliver(
                event::ProcessEnded{.rank = *now, .how = end.how, .well = end.well, .reason = end.reason});
    });
}

void Launch::perform(const action::EndProcess& end) {
    starter_.end(generation_.processes().at(end.rank).place, end.by_force);
}

void Launch::perform(const action::CloseDoor& /*close*/) {
    links_.close_door();
}

void Launch::perform(const action::Admit& admit) {
    links_.admit(admit.connection, admit.label);
    observer_.on_detail(admit.label + " has joined");
}

void Launch::perform(const action::Refuse& refuse) {
    links_.refuse(refuse.connection, refuse.problem);
}

void Launch::perform(const action::Close& close) {
    links_.close(close.connection);
}

void Launch::perform(const action::Send& send) {
    links_.send(send.connection, encode(send.message));
}

void Launch::perform(const action::Assign& assign) {
    const auto place = generation_.processes().at(assign.rank).place;
    auto message = generation_.assignment(assign, faults_.at_steps_of(place));
    const auto seats = generation_.seats();
    // A worker at the door computes the key of the run. Its connection is not secret, that of others is.
    if (!seats[static_cast<std::size_t>(assign.rank)].by_hand)
        message.run_key = secret_of_run(std::as_bytes(std::span(token_)), message.run).key;
    links_.send(assign.connection, messages::encode(message));
    if (assign.rank + 1 == std::ssize(seats)) generation_.drop_state();  // all have theirs
    observer_.on_detail(fmt::format("gave node {} its work: {} of {} ranks, {}", assign.rank, assign.rank + 1,
                                    seats.size(), count_text(assign.threads, "thread")));
}

void Launch::perform(action::TakeRecords& take) {
    const bool failed_before = harvest_.problem().has_value();
    harvest_.take_records(take.rank, std::move(take.records));
    // What cannot be kept need not be trained.
    if (harvest_.problem() && !failed_before) deliver(event::StopWanted{});
}

void Launch::perform(action::TakeWeights& take) {
    observer_.on_detail(
        fmt::format("weights of node {}: {} bytes have arrived", take.rank, take.safetensors.size()));
    harvest_.take_weights(take.rank, std::move(take.safetensors));
}

void Launch::perform(action::TakeCheckpoint& take) {
    harvest_.take_checkpoint(take.rank, std::move(take.checkpoint));
}

void Launch::perform(action::TakeState& take) {
    generation_.take_state(std::move(take.state));
}

void Launch::perform(const action::KeepCheckpoint& keep) {
    observer_.on_detail(fmt::format("all nodes have sent their checkpoint of step {}", keep.step));
    if (auto checkpoint = harvest_.gather_checkpoint()) return keeper_.keep(std::move(*checkpoint));
    note_kept(fmt::format("no checkpoint of step {}: {}", keep.step, harvest_.problem().value()));
}

void Launch::perform(const action::ShowProgress& show) {
    observer_.on_progress(show.progress);
}

void Launch::perform(const action::TellLost& tell) {
    auto lost = tell.lost;
    faults_.note_disturbance();
    if (lost.rank) {
        const auto& own = generation_.processes().at(*lost.rank);
        lost.place = own.place;
        lost.own_step = std::max(lost.own_step, own.step);  // it has told nothing since others were lost
        lost.step = std::max(lost.step, lost.own_step);
    }
    observer_.on_node_lost(lost);
}

void Launch::perform(const action::TellFault& tell) {
    faults_.node_suffers(tell.rank, tell.step);
}

void Launch::perform(const action::TellAgreed& /*tell*/) {
    faults_.note_training(Clock::now());
    observer_.on_agreed();
}

void Launch::perform(const action::Notice& notice) {
    observer_.on_notice(notice.line);
}

void Launch::note_kept(const std::optional<std::string>& problem) {
    if (problem) {
        warnings_.push_back(*problem);
        observer_.on_notice("warning: " + *problem);
    } else {
        observer_.on_detail("the checkpoint is on disk");
    }
    deliver(event::CheckpointKept{});
}

void LaunchObserver::on_node_line(std::int64_t rank, const std::string& line) {
    say_plainly(fmt::format("node {}: {}", rank, line));
}

RunOutcome launch(const LaunchOptions& options, LaunchObserver& observer) {
    return Launch(options, observer).run();
}

}  // namespace convoy
