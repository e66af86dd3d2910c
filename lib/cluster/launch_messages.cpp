#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>
#include <utility>

#include "cluster/launch.hpp"
#include "cluster/messages.hpp"
#include "measure/records_json.hpp"

namespace convoy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// Exchanges in one estimate of a node's clock; the best one counts.
constexpr int probes_per_round = 8;
constexpr Clock::duration shortest_heartbeat = 20ms;
constexpr Clock::duration longest_heartbeat = 1s;

}  // namespace

Launch::Task Launch::listen_to(RemoteNode& node) {
    const auto channel = node.channel;
    try {
        while (true) {
            const auto message = co_await channel->receive();
            node.silent_ticks = 0;
            node.owes_answer = false;
            handle(node, message);
        }
    } catch (const NodeLostError&) {
        fail(Evidence::disconnected, ExitCode::node_lost,
             fmt::format("{} closed its connection{}", node.label(), node.position()));
    } catch (const Error& error) {
        fail(Evidence::cause, error.code(), fmt::format("{}: {}", node.label(), error.what()));
    }
    channel->close();
    node.connected = false;
    changed();
}

void Launch::handle(RemoteNode& node, const nlohmann::json& message) {
    using namespace messages;
    const auto kind = type_of(message);
    if (kind == type::pong) {
        note_clock(node, field<std::uint64_t>(message, "number"), field<double>(message, "clock_us"));
    } else if (kind == type::progress) {
        node.progress = decode_progress(message);
        node.progress->rank = node.info.rank;
        observer_.on_progress(*node.progress);
    } else if (kind == type::agree) {
        note_agreement(node, field<std::string>(message, "fingerprint"));
    } else if (kind == type::records) {
        note_records(node, message);
    } else if (kind == type::weights) {
        note_weights(message);
    } else if (kind == type::checkpoint) {
        note_checkpoint(node, decode_checkpoint(message));
    } else if (kind == type::at_step) {
        note_stop(node, field<std::int64_t>(message, "step"));
    } else if (kind == type::done) {
        node.stopped = field<bool>(message, "stopped");
        node.finished = true;
        changed();
    } else if (kind == type::failed) {
        const auto problem = decode_problem(message);
        node.reported = true;
        fail(evidence_of_report(problem.code), problem.code,
             fmt::format("{}: {}", node.label(), problem.message));
    } else {
        throw DisagreementError(fmt::format("sent an unknown message '{}'", kind));
    }
}

void Launch::note_agreement(RemoteNode& node, std::string fingerprint) {
    if (!first_agreed_) first_agreed_ = Clock::now();
    node.fingerprint = std::move(fingerprint);
    const auto differs = [&](const RemoteNode& other) {
        return other.fingerprint && *other.fingerprint != *node.fingerprint;
    };
    if (const auto other = std::ranges::find_if(nodes_, differs); other != nodes_.end()) {
        constexpr auto text =
            "{} and {} disagree on what to run (fingerprints {:.12} and {:.12}); give all nodes the same "
            "convoy, "
            "data and processor, or set kernels.parameter_layout to plain";
        first_agreed_.reset();
        fail(Evidence::cause, ExitCode::disagreement,
             fmt::format(text, other->label(), node.label(), *other->fingerprint, *node.fingerprint));
        return;
    }
    const auto said = [](const RemoteNode& other) { return other.fingerprint.has_value(); };
    if (!std::ranges::all_of(nodes_, said)) return;
    for (auto& other : nodes_) other.fingerprint.reset();
    first_agreed_.reset();
    send_all({{"type", messages::type::agreed}});
}

void Launch::check_agreement_deadline() {
    if (!first_agreed_ || Clock::now() - *first_agreed_ < deadline_) return;
    const auto owing = std::ranges::find_if(nodes_, [](const RemoteNode& node) { return !node.fingerprint; });
    fail(Evidence::cause, ExitCode::deadline,
         fmt::format("{} was not ready to train within {} s after the first node; see what slows it, or "
                     "raise deadline_s",
                     owing->label(), options_.spec.deadline_s));
    first_agreed_.reset();
}

void Launch::note_clock(RemoteNode& node, std::uint64_t number, double clock_us) {
    if (!node.clock.answer(number, clock_us, Clock::now()) || node.probes_left == 0) return;
    if (--node.probes_left > 0) return ask_clock(node);
    if (!node.first_clock) node.first_clock = node.clock.best();
    changed();
}

void Launch::note_records(RemoteNode& node, const nlohmann::json& message) {
    node.records.append(records_from_json(messages::field<nlohmann::json>(message, "records")));
}

void Launch::note_weights(const nlohmann::json& message) {
    const auto bytes = messages::field<nlohmann::json::binary_t>(message, "bytes");
    const auto view = std::as_bytes(std::span(bytes));
    outcome_.weights.assign(view.begin(), view.end());
}

void Launch::note_checkpoint(RemoteNode& node, NodeCheckpoint checkpoint) {
    if (node.checkpoint) throw DisagreementError("told a checkpoint before its last one was kept");
    node.checkpoint = std::move(checkpoint);
    // Now, since it may tell of more before the others have told their checkpoint.
    node.records_at_checkpoint = node.records;
    const auto told = [](const RemoteNode& other) { return other.checkpoint.has_value(); };
    if (std::ranges::all_of(nodes_, told)) keep(gather_checkpoint());
}

RunCheckpoint Launch::gather_checkpoint() {
    RunCheckpoint all;
    if (options_.resume) all.records = options_.resume->records;
    all.resumed_from_steps = outcome_.resumed_from_steps;
    for (auto& node : nodes_) {
        all.records.append(std::exchange(node.records_at_checkpoint, {}));
        all.nodes.push_back(*std::exchange(node.checkpoint, std::nullopt));
        if (all.nodes.back().step != all.step())
            throw DisagreementError(fmt::format("told a checkpoint of step {}, node 0 one of step {}",
                                                all.nodes.back().step, all.step()));
    }
    all.records.trace.clear();
    return all;
}

// The disk may take its time: the nodes want answers to other things meanwhile.
void Launch::keep(RunCheckpoint checkpoint) {
    auto kept = [this](const std::optional<std::string>& problem) {
        if (problem) outcome_.warnings.push_back(*problem);
        if (problem) observer_.on_notice("warning: " + *problem);
        send_all({{"type", messages::type::kept}});
    };
    auto work = asio::make_work_guard(io_);
    asio::post(keeper_, [this, kept, work, checkpoint = std::move(checkpoint)] {
        std::optional<std::string> problem;
        try {
            if (options_.keep_checkpoint) options_.keep_checkpoint(checkpoint);
        } catch (const std::exception& error) {
            problem = fmt::format("no checkpoint of step {}: {}", checkpoint.step(), error.what());
        }
        asio::post(io_, [kept, problem] { kept(problem); });
    });
}

// Every node answers with the last step that it began and begins no other until it hears which one is the
// last for all. The furthest node's is: nobody is beyond it, and everybody can reach it, since nobody has
// stopped before it.
void Launch::note_stop(RemoteNode& node, std::int64_t started_step) {
    node.started_step = started_step;
    const auto answered = [](const RemoteNode& other) { return other.started_step.has_value(); };
    if (stop_settled_ || !std::ranges::all_of(nodes_, answered)) return;
    stop_settled_ = true;
    const auto last = std::ranges::max_element(nodes_, {}, &RemoteNode::started_step)->started_step;
    send_all({{"type", messages::type::stop_after}, {"step", *last}});
}

Launch::Task Launch::watch_signals() {
    while (true) {
        const auto [error, number] = co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (error) co_return;
        if (++signals_seen_ == 1 && assigned_) send_all({{"type", messages::type::stop}});
        changed();
    }
}

// Silence is counted in heartbeats and not on the clock: where the whole machine slept, or the user stopped
// all processes with Ctrl-Z, nobody was silent.
Launch::Task Launch::keep_alive() {
    const auto interval = std::clamp(deadline_ / 4, shortest_heartbeat, longest_heartbeat);
    const auto ticks_limit = static_cast<int>(std::ceil(Seconds(deadline_) / Seconds(interval)));
    while (!ending_) {
        heartbeat_.expires_after(interval);
        const auto [cancelled] = co_await heartbeat_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (cancelled || ending_) co_return;
        for (auto& node : nodes_) {
            if (node.connected && ++node.silent_ticks == ticks_limit + 1) {
                fail(Evidence::silence, ExitCode::node_lost,
                     fmt::format("{} has not answered for {} s{}", node.label(), options_.spec.deadline_s,
                                 node.position()));
            }
            ask_clock(node);
        }
        check_agreement_deadline();
    }
}

void Launch::begin_probes(RemoteNode& node) {
    node.clock.restart();
    node.probes_left = probes_per_round;
    ask_clock(node);
}

void Launch::ask_clock(RemoteNode& node) {
    send(node, {{"type", messages::type::ping}, {"number", node.clock.ask(Clock::now())}});
}

void Launch::send(RemoteNode& node, nlohmann::json message) {
    if (!node.connected) return;
    // Where the connection is gone, listen_to says so.
    asio::co_spawn(
        io_,
        [](Channel channel, nlohmann::json content) -> Task {
            try {
                co_await channel->send(std::move(content));
            } catch (const NodeLostError&) {
            }
        }(node.channel, std::move(message)),
        [this](const std::exception_ptr& thrown) {
            if (!thrown || bug_) return;
            bug_ = thrown;
            changed();
        });
}

void Launch::send_all(const nlohmann::json& message) {
    for (auto& node : nodes_) send(node, message);
}

}  // namespace convoy
