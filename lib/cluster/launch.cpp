#include "cluster/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "cluster/join_token.hpp"
#include "cluster/local_starter.hpp"
#include "cluster/messages.hpp"
#include "cluster/seats.hpp"
#include "cluster/ssh_starter.hpp"
#include "hosts/control_groups.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace {

std::vector<std::string> own_command(const char* subcommand) {
    return {std::filesystem::read_symlink("/proc/self/exe").string(), subcommand};
}

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
      all_seats_(seats_of(options)),
      seats_(all_seats_),
      faults_left_(options.spec.faults.at_steps),
      spec_(options.spec),
      processes_(seats_.size()),
      newcomers_(seats_.size(), options.spec.failures.restarts),
      membership_(membership_options()),
      harvest_(seats_.size(), options.resume, options.sink, options.weights_from),
      timer_(io_),
      links_(io_, {.run = run_, .token = token_, .tls = tls_context_of(options)},
             [this](MembershipEvent event) { hear(std::move(event)); }),
      keeper_(io_, options.keep_checkpoint,
              [this](const std::optional<std::string>& problem) { note_kept(problem); }) {
    for (std::size_t rank = 0; rank < processes_.size(); ++rank)
        processes_[rank].number = static_cast<std::int64_t>(rank);
}

MembershipOptions Launch::membership_options() const {
    return {.seats = seats_,
            .deadline_s = spec_.deadline_s,
            .join_deadline_s = options_.join_deadline_s.value_or(spec_.deadline_s),
            .heartbeat_s = spec_.failures.heartbeat_s,
            .shrinks = spec_.failures.policy == FailurePolicy::shrink,
            .apart = is_asynchronous(spec_.strategy),
            .begun = generation_ > 0,
            .waited_in_vain_at = in_vain_ >= spec_.failures.restarts ? in_vain_at_ : std::nullopt,
            .signals = regrouping_.signals,
            .stop_wanted = regrouping_.stop_wanted,
            .has_results = regrouping_.has_results,
            .is_encrypted = options_.tls.has_value()};
}

RunOutcome Launch::run() {
    try {
        start();
    } catch (...) {
        for (const auto& left : remove_hosts()) observer_.on_notice("warning: " + left);
        throw;
    }
    if (!membership_.is_over()) signals_.let_through();
    while (true) {
        try {
            io_.run();
            break;
        } catch (...) {
            note_bug();
            handle_all();
            wait_for_time();
        }
    }
    signals_.pass_on();
    auto leftovers = remove_hosts();
    const auto verdict = membership_.verdict();
    if (verdict.error) {
        for (const auto& left : leftovers) observer_.on_notice("warning: " + left);
        harvest_.save_weights();
        if (bug_ && verdict.error->code == ExitCode::bug) std::rethrow_exception(bug_);
        throw_problem(*verdict.error);
    }
    auto all = outcome(verdict.interrupted, std::move(leftovers));
    if (harvest_.problem()) throw OutputError(*harvest_.problem());
    return all;
}

RunOutcome Launch::outcome(bool interrupted, std::vector<std::string> leftovers) {
    auto outcome = harvest_.finish(membership_.members());
    outcome.status = interrupted ? RunStatus::interrupted : RunStatus::done;
    if (hosts_) outcome.network = hosts_->plan().network.to_string();
    outcome.warnings = std::move(warnings_);
    outcome.warnings.insert(outcome.warnings.end(), leftovers.begin(), leftovers.end());
    for (const auto& member : membership_.members())
        if (!member.process_end.empty() && !interrupted)
            outcome.warnings.push_back(
                fmt::format("{} {} after its work was done", member.label(), member.process_end));
    return outcome;
}

std::vector<std::string> Launch::remove_hosts() {
    if (!hosts_) return {};
    own_.reset();
    return hosts_->remove();
}

void Launch::start() {
    if (const auto& cluster = options_.spec.cluster) {
        const auto guardian =
            options_.host_guardian.empty() ? own_command("host-guardian") : options_.host_guardian;
        hosts_.emplace(guardian, *cluster, cluster->hosts_for(options_.spec.world_size()));
        observer_.on_detail(
            fmt::format("made the emulated hosts, in {}", hosts_->plan().network.to_string()));
    }
    address_ = resolve_interface(options_.interface);
    own_ = make_own_starter();
    if (std::ranges::count(seats_, true, &Seat::by_hand) > 0)
        observer_.on_listening(links_.open(address_, options_.port));
    signals_.listen();
    handling_ = true;  // until handle_all
    carry_out(membership_.begin(Clock::now()));
    handle_all();
    wait_for_time();
}

std::unique_ptr<NodeStarter> Launch::make_own_starter() {
    if (!options_.remote) return make_local_starter();
    return std::make_unique<SshStarter>(io_.get_executor(), *options_.remote);
}

std::unique_ptr<NodeStarter> Launch::make_local_starter() {
    auto place_of = [this](std::int64_t rank) -> LocalPlace {
        if (!hosts_) return {.address = address_.to_string(), .host = nullptr, .killed_because = {}};
        const auto host = options_.spec.host_of(rank);
        const auto reason = [this, host]() -> std::string {
            if (!ran_out_of_memory(hosts_->control_groups(host))) return "";
            return ", as the memory of its host was used up (cluster.memory_mb),";
        };
        return {.address = hosts_->plan().host_address(host).to_string(),
                .host = &hosts_->entrance(host),
                .killed_because = reason};
    };
    auto worker = options_.worker_command.empty() ? own_command("worker") : options_.worker_command;
    return std::make_unique<LocalStarter>(io_.get_executor(), std::move(worker), std::move(place_of),
                                          options_.nodes_ignore_term);
}

void Launch::finish() {
    for (const auto number : newcomers_.started_places()) own_->end(number, true);
    signals_.stop();  // the next ones are for whoever listens after this run
    timer_.cancel();
    links_.close_all();
}

void Launch::deliver(MembershipEvent event) {
    events_.push_back(std::move(event));
    // An action may lead to an event at once, which then waits until the actions before it are carried out.
    if (handling_) return;
    handle_all();
    wait_for_time();
}

void Launch::handle_all() {
    handling_ = true;
    do {
        while (!events_.empty()) {
            auto event = std::move(events_.front());
            events_.pop_front();
            try {
                carry_out(membership_.handle(std::move(event), Clock::now()));
            } catch (...) {
                note_bug();
            }
        }
    } while (go_on());
    if (!membership_.is_over()) start_newcomers();
    do_timed_faults();
    handling_ = false;
    if (membership_.is_over()) finish();
}

void Launch::carry_out(MembershipActions actions) {
    for (auto& action : actions) std::visit([this](auto& wanted) { perform(wanted); }, action);
}

void Launch::note_bug() {
    if (bug_) return;
    bug_ = std::current_exception();
    events_.emplace_back(event::LauncherFailed{});
}

void Launch::wait_for_time() {
    auto due = membership_.next_due();
    if (!due) return;
    if (const auto newcomer = newcomers_.next_due()) due = std::min(*due, *newcomer);
    if (const auto fault = next_fault()) due = std::min(*due, *fault);
    timer_.expires_at(*due);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        observer_.on_time_passed();
        deliver(event::TimePassed{});
    });
}

void Launch::perform(const action::Start& start) {
    const auto rank = start.rank;
    auto& own = processes_.at(static_cast<std::size_t>(rank));
    if (generation_ > 0) {
        deliver(event::ProcessStarted{.rank = rank, .pid = own.pid});
        return links_.introduce_again(own.connection, rank);
    }
    try {
        auto started = start_process(rank, start.threads);
        if (!started) return;
        own.pid = started->pid;
        deliver(event::ProcessStarted{.rank = rank, .pid = started->pid});
        own.connection = links_.adopt(std::move(started->control), rank, started->host);
    } catch (const Error& error) {
        deliver(event::StartFailed{.rank = rank, .problem = {.code = error.code(), .message = error.what()}});
    }
}

std::optional<StartedNode> Launch::start_process(std::int64_t number, std::optional<int> threads) {
    auto started = starter_of(number).start(
        {.rank = number, .threads = threads},
        {.on_end = [this, number](const NodeProcessEnd& end) { note_end(number, end); },
         .on_line =
             [this, number](const std::string& line) {
                 observer_.on_node_line(rank_of(number).value_or(number), line);
             }});
    if (!started) return started;
    observer_.on_detail(started->pid == 0 ? fmt::format("started node {} on {}", number, started->host)
                                          : fmt::format("started node {} (pid {}) on {}", number,
                                                        started->pid, started->host));
    return started;
}

void Launch::note_end(std::int64_t number, const NodeProcessEnd& end) {
    if (newcomers_.is_started(number)) return end_newcomer(number, end.how);
    const auto rank = rank_of(number);
    if (!rank) return;
    observer_.on_detail(fmt::format("the process of node {} has ended", *rank));
    // The last messages tell in which step it ended.
    links_.after_last_message(processes_.at(static_cast<std::size_t>(*rank)).connection, [=, this] {
        if (const auto now = rank_of(number))
            deliver(
                event::ProcessEnded{.rank = *now, .how = end.how, .well = end.well, .reason = end.reason});
    });
}

void Launch::perform(const action::EndProcess& end) {
    const auto number = processes_.at(static_cast<std::size_t>(end.rank)).number;
    starter_of(number).end(number, end.by_force);
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
    auto spec = spec_;
    spec.faults = {};
    messages::Assign message{.assignment = {.rank = assign.rank,
                                            .world_size = std::ssize(seats_),
                                            .spec = std::move(spec),
                                            .data_folder = options_.data_folder,
                                            .threads = assign.threads,
                                            .layout_threads = assign.layout_threads,
                                            .faults = faults_of(assign.rank),
                                            .resume = resume_of(assign.rank),
                                            .generation = generation_,
                                            .apart = going_apart()},
                             .peers = assign.peers,
                             .run = run_,
                             .run_key = {},
                             .tls = options_.tls,
                             .always_seal = options_.always_seal};
    // A worker at the door computes the key of the run. Its connection is not secret, that of others is.
    if (!seats_.at(static_cast<std::size_t>(assign.rank)).by_hand)
        message.run_key = secret_of_run(std::as_bytes(std::span(token_)), run_).key;
    links_.send(assign.connection, messages::encode(message));
    if (assign.rank + 1 == std::ssize(seats_)) state_.reset();  // all have theirs
    observer_.on_detail(fmt::format("gave node {} its work: {} of {} ranks, {}", assign.rank, assign.rank + 1,
                                    seats_.size(), count_text(assign.threads, "thread")));
}

void Launch::perform(action::TakeRecords& take) {
    const bool failed_before = harvest_.problem().has_value();
    harvest_.take_records(take.rank, std::move(take.records));
    // What cannot be kept need not be trained.
    if (harvest_.problem() && !failed_before) events_.emplace_back(event::StopWanted{});
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
    state_ = std::move(take.state);
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
    trains_ = false;
    if (lost.rank) {
        const auto& own = processes_.at(static_cast<std::size_t>(*lost.rank));
        lost.place = own.number;
        lost.own_step = std::max(lost.own_step, own.step);  // it has told nothing since others were lost
        lost.step = std::max(lost.step, lost.own_step);
    }
    observer_.on_node_lost(lost);
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

NodeStarter& Launch::starter_of(std::int64_t number) {
    if (all_seats_.at(static_cast<std::size_t>(number)).by_hand) return by_hand_;
    return *own_;
}

std::optional<NodeCheckpoint> Launch::resume_of(std::int64_t rank) const {
    if (generation_ > 0)
        return processes_.at(static_cast<std::size_t>(rank)).needs_state ? state_ : std::nullopt;
    if (!options_.resume) return std::nullopt;
    auto checkpoint = options_.resume->nodes.at(static_cast<std::size_t>(rank));
    if (checkpoint.tensors.empty()) checkpoint.tensors = options_.resume->nodes.front().tensors;
    return checkpoint;
}

void LaunchObserver::on_node_line(std::int64_t rank, const std::string& line) {
    say_plainly(fmt::format("node {}: {}", rank, line));
}

RunOutcome launch(const LaunchOptions& options, LaunchObserver& observer) {
    return Launch(options, observer).run();
}

}  // namespace convoy
