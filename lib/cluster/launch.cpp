#include "cluster/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <thread>

#include "cluster/handshake.hpp"
#include "cluster/messages.hpp"

namespace convoy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// How long the launcher collects evidence once something went wrong: an exit status, or which node is
/// silent.
constexpr auto grace = 1000ms;
/// How long nodes may take to leave: when all is done, when told to abort, and after SIGTERM.
constexpr auto patience_after_success = 10s;
constexpr auto patience_after_abort = 500ms;
constexpr auto patience_after_sigterm = 500ms;

}  // namespace

Launch::Launch(const LaunchOptions& options, LaunchObserver& observer)
    : options_(options),
      observer_(observer),
      token_(options.token.value_or(random_token())),
      local_nodes_(options.local_nodes.value_or(options.spec.world_size())),
      deadline_(std::chrono::duration_cast<Clock::duration>(Seconds(options.spec.deadline_s))),
      acceptor_(io_),
      signals_(io_, SIGINT, SIGTERM),
      change_(io_),
      heartbeat_(io_),
      nodes_(static_cast<std::size_t>(options.spec.world_size())) {
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank)
        nodes_[rank].info.rank = static_cast<std::int64_t>(rank);
    if (!options.resume) return;
    outcome_.records = options.resume->records;
    outcome_.resumed_from_steps = options.resume->resumed_from_steps;
    outcome_.resumed_from_steps.push_back(options.resume->step());
}

RunOutcome Launch::run() {
    std::exception_ptr error;
    asio::co_spawn(io_, conduct(), [&error](const std::exception_ptr& thrown) { error = thrown; });
    io_.run();
    if (error) std::rethrow_exception(error);
    return std::move(outcome_);
}

Launch::Task Launch::conduct() {
    std::exception_ptr error;
    auto last_word = nlohmann::json{{"type", messages::type::bye}};
    Clock::duration patience = patience_after_success;
    try {
        co_await form();
        co_await work();
    } catch (const Error& thrown) {
        error = std::current_exception();
        last_word =
            messages::encode(messages::type::abort, {.code = thrown.code(), .message = thrown.what()});
        patience = patience_after_abort;
    } catch (...) {
        error = std::current_exception();
        last_word = messages::encode(messages::type::abort,
                                     {.code = ExitCode::bug, .message = "the launcher failed"});
        patience = patience_after_abort;
    }
    co_await end_nodes(std::move(last_word), patience);
    close_everything();
    if (hosts_) {
        for (auto& left : hosts_->remove()) {
            if (error) observer_.on_notice("warning: " + left);  // nobody reads the outcome then
            outcome_.warnings.push_back(std::move(left));
        }
    }

    // An interrupted run keeps what had arrived, however it ended.
    if (error && !(signals_seen_ > 0 && assigned_ && !bug_)) std::rethrow_exception(error);
    if (error) outcome_.status = RunStatus::interrupted;
    keep_results();
}

Launch::Task Launch::form() {
    make_hosts();
    open_door();
    spawn(watch_signals());
    spawn(keep_alive());
    spawn(accept_workers());
    for (std::int64_t rank = 0; rank < local_nodes_; ++rank) {
        auto& node = nodes_[static_cast<std::size_t>(rank)];
        start_process(node);
        spawn(watch_process(node));
    }
    const Seconds patience(options_.join_deadline_s.value_or(options_.spec.deadline_s));
    const auto latest = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
    const bool formed = co_await until([this] { return all(&RemoteNode::connected); }, latest);
    if (!formed) {
        const auto missing = std::ranges::find(nodes_, false, &RemoteNode::connected);
        throw ClusterError(fmt::format("{} did not join within {} s; see what keeps it, or raise deadline_s",
                                       missing->label(), patience.count()));
    }
    acceptor_.close();
}

Launch::Task Launch::work() {
    assign_work();
    const auto probed = [](const RemoteNode& node) { return node.probes_left == 0; };
    co_await until([&] { return all(&RemoteNode::finished) && std::ranges::all_of(nodes_, probed); });

    for (auto& node : nodes_) begin_probes(node);
    co_await until([&] { return std::ranges::all_of(nodes_, probed); });
}

Launch::Task Launch::end_nodes(nlohmann::json last_word, Clock::duration patience) {
    ending_ = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    send_all(last_word);
    const auto left = [this] {
        return std::ranges::none_of(nodes_,
                                    [](const RemoteNode& node) { return node.running || node.connected; });
    };
    bool gone = co_await calmly_until(left, Clock::now() + patience);
    for (const int number : {SIGTERM, SIGKILL}) {
        if (gone) break;
        for (auto& node : nodes_) {
            if (node.running) node.process->signal(number);
            if (node.connected && !node.process) node.channel->close();
        }
        // Nothing survives SIGKILL, so the last wait is long only where the machine is very busy.
        gone = co_await calmly_until(left, Clock::now() + (number == SIGTERM ? patience_after_sigterm : 10s));
    }
}

void Launch::close_everything() {
    boost::system::error_code ignored;
    signals_.cancel(ignored);
    heartbeat_.cancel();
    for (const auto& channel : joining_) channel->close();
    for (auto& node : nodes_)
        if (node.channel) node.channel->close();
}

void Launch::keep_results() {
    for (auto& node : nodes_) outcome_.records.append(std::move(node.records));
    for (auto& summary : outcome_.records.summaries) {
        if (summary.node < 0 || summary.node >= std::ssize(nodes_)) continue;
        const auto& node = nodes_[static_cast<std::size_t>(summary.node)];
        const auto& last = node.clock.best();
        const auto& first = node.first_clock ? node.first_clock : last;
        if (!first) continue;
        const auto& end = last ? last : first;
        summary.clock = {.start_us = first->offset_us,
                         .end_us = end->offset_us,
                         .round_trip_us = std::max(first->round_trip_us, end->round_trip_us)};
    }
    for (auto& node : nodes_) {
        outcome_.nodes.push_back(node.info);
        if (node.stopped) outcome_.status = RunStatus::interrupted;
        const auto end = node.process ? node.process->ended() : std::nullopt;
        if (end && *end != ProcessEnd{} && outcome_.status == RunStatus::done)
            outcome_.warnings.push_back(
                fmt::format("{} {} after its work was done", node.label(), end->text()));
    }
}

asio::awaitable<bool> Launch::until(std::function<bool()> condition, std::optional<TimePoint> deadline) {
    while (true) {
        if (bug_) std::rethrow_exception(bug_);
        if (!failures_.empty()) co_await throw_root_cause();
        if (signals_seen_ > 1) throw InterruptedError("interrupted twice: the nodes were ended at once");
        if (signals_seen_ > 0 && !assigned_) throw InterruptedError("interrupted before the nodes had begun");
        if (condition()) co_return true;
        if (deadline && Clock::now() >= *deadline) co_return false;
        change_.expires_at(deadline.value_or(TimePoint::max()));
        co_await change_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<bool> Launch::calmly_until(std::function<bool()> condition, TimePoint deadline) {
    while (!condition()) {
        if (Clock::now() >= deadline) co_return false;
        change_.expires_at(deadline);
        co_await change_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return true;
}

Launch::Task Launch::throw_root_cause() {
    // A live node answers this at once, so whoever is still silent at the end of the grace is the one that
    // hangs. The peers of a node that answers, but whose work stands still (its disk, say), wait until the
    // deadline, and closing their links wakes everybody who waits with them: who then reports nothing was
    // waited for.
    for (auto& node : nodes_) {
        node.owes_answer = true;
        ask_clock(node);
    }
    const auto cause_known = [this] { return root_cause(failures_)->evidence == Evidence::cause; };
    const bool known = co_await calmly_until(cause_known, Clock::now() + grace);
    const bool in_vain = std::ranges::count(failures_, ExitCode::deadline, &Failure::code) > 0;
    for (const auto& node : nodes_) {
        if (known || !node.connected || node.reported) continue;
        if (node.owes_answer) {
            fail(Evidence::silence, ExitCode::node_lost,
                 fmt::format("{} does not answer{}", node.label(), node.position()));
        } else if (in_vain) {
            fail(Evidence::absent, ExitCode::deadline,
                 fmt::format("{} answers, but took no part within {} s in what its peers waited for{}",
                             node.label(), options_.spec.deadline_s, node.position()));
        }
    }
    const auto* cause = root_cause(failures_);
    throw Error(cause->code, cause->message);
}

void Launch::fail(Evidence evidence, ExitCode code, std::string message) {
    if (ending_) return;
    failures_.push_back({.evidence = evidence, .code = code, .message = std::move(message)});
    changed();
}

void Launch::spawn(Task task) {
    asio::co_spawn(io_, std::move(task), [this](const std::exception_ptr& thrown) {
        if (!thrown || bug_) return;
        bug_ = thrown;
        changed();
    });
}

bool Launch::all(bool RemoteNode::*property) const {
    return std::ranges::all_of(nodes_, property);
}

RunOutcome launch(const LaunchOptions& options, LaunchObserver& observer) {
    return Launch(options, observer).run();
}

}  // namespace convoy
