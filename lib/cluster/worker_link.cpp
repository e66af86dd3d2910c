#include "cluster/worker_link.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <thread>
#include <utility>
#include <variant>

#include "base/console.hpp"
#include "base/lack_of_memory.hpp"
#include "base/overloaded.hpp"
#include "cluster/clock_probe.hpp"
#include "measure/records_json.hpp"

namespace convoy {

namespace asio = boost::asio;
namespace type = messages::type;
using namespace std::chrono_literals;

namespace {

/// Progress lines are for people: more than so many per second only keep the launcher busy.
constexpr auto progress_interval = 50ms;
constexpr int watchdog_ticks = 4;

messages::Problem problem_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        return {.code = error.code(), .message = error.what()};
    } catch (const std::exception& error) {
        const auto lack = lack_of_memory(error);
        return {
            .code = lack ? ExitCode::data : ExitCode::bug,
            .message = fmt::format("the connection to the launcher failed: {}", lack ? *lack : error.what())};
    }
}

clockid_t clock_of_this_thread() {
    clockid_t clock{};
    if (::pthread_getcpuclockid(::pthread_self(), &clock) != 0)
        throw InternalError("the processor time of a thread cannot be measured");
    return clock;
}

/// The processor time that a thread has used. A thread that waits for a disk uses none.
double busy_us(clockid_t thread) {
    timespec used{};
    if (::clock_gettime(thread, &used) != 0) return 0.0;
    return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) * 1e-3;
}

}  // namespace

WorkerLink::WorkerLink(asio::io_context& io, StreamSocket socket, const WorkerOptions& options,
                       const std::optional<SealKeys>& keys, std::unique_ptr<TlsSession> tls)
    : io_(io),
      options_(options),
      channel_(std::move(socket), options.launcher_name()),
      watchdog_(io),
      job_clock_(clock_of_this_thread()),
      deadline_(options.join_deadline) {
    if (keys) channel_.seal(*keys);
    if (tls) channel_.encrypt(std::move(tls));
}

WorkerLink::~WorkerLink() {
    asio::post(io_, [this] {
        channel_.close();
        watchdog_.cancel();
        update([this] { leaving_ = closed_ = true; });
    });
    wait_for([this] { return closed_ && coroutines_ == 0; });
}

template <class Condition>
void WorkerLink::wait_for(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
}

template <class Change>
void WorkerLink::update(Change change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_all();
}

void WorkerLink::spawn(Task task) {
    update([this] { ++coroutines_; });
    asio::co_spawn(io_, std::move(task), [this](const std::exception_ptr& bug) {
        if (bug) fail_alone(problem_of(bug));
        update([this] { --coroutines_; });
    });
}

std::optional<messages::Assign> WorkerLink::join(messages::Hello hello) {
    next_hello_ = hello;
    spawn(listen(std::move(hello)));
    // The kernel ends a worker with the launcher that started it. So a launcher that stands still, as it was
    // stopped, finds its workers when it goes on.
    if (!options_.own || options_.own->remote) spawn(watch_launcher());
    wait_for([this] { return assign_ || refused_ || hung_up_; });
    if (refused_) std::rethrow_exception(refused_);
    return std::exchange(assign_, std::nullopt);
}

WorkerLink::Task WorkerLink::greet(messages::Hello hello) {
    if (options_.own) {
        const auto welcome = co_await channel_.receive();
        if (messages::type_of(welcome) != type::welcome)
            throw ClusterError(fmt::format("{} does not begin with a welcome", options_.launcher_name()));
    }
    co_await channel_.send(messages::encode(hello));
}

// The launcher's own worker proves nothing, also not when it joins the next membership.
void WorkerLink::greet_again() {
    std::optional<messages::Hello> hello;
    update([&] { hello = std::exchange(next_hello_, std::nullopt); });
    if (!hello) throw DisagreementError("the launcher sent a second welcome");
    send(messages::encode(*hello));
}

WorkerLink::Task WorkerLink::listen(messages::Hello hello) {
    try {
        co_await greet(std::move(hello));
        while (true) {
            const auto message = co_await channel_.receive();
            silent_ticks_ = 0;
            handle(message);
        }
    } catch (const NodeLostError& lost) {
        bool joining = false;
        update([&] {
            joining = !joined_;
            hung_up_ = joining;
        });
        if (!joining) note_end({.code = lost.code(), .message = lost.what()});
    } catch (const Error& error) {
        note_end({.code = error.code(), .message = error.what()});
    }
}

void WorkerLink::handle(const nlohmann::json& message) {
    if (messages::type_of(message) == type::assign) return note_assignment(messages::decode_assign(message));
    const auto set = [this](bool& flag) { update([&flag] { flag = true; }); };
    std::visit(
        Overloaded{
            [this](const told::Welcome&) { greet_again(); }, [this](const told::Ping& ping) { answer(ping); },
            [&](const told::Agreed&) { set(agreed_); },
            [this](const told::Kept&) { update([this] { checkpoint_on_its_way_ = false; }); },
            [this](const told::Stop&) { answer_with_last_step(&StepGate::ask_to_stop); },
            [this](const told::StopAfter& last) { update([&] { gate_.stop_after(last.step); }); },
            [this](const told::Pause&) { answer_with_last_step(&StepGate::ask_to_pause); },
            [this](const told::PauseAfter& last) { update([&] { gate_.pause_after(last.step); }); },
            [this](const told::Suspend&) { note_loss(); },
            [&](const told::GiveState&) { set(state_wanted_); },
            [&](const told::FaultNoted&) { set(fault_noted_); },
            [this](const told::Partition&) { stay_silent(); }, [&](const told::Bye&) { set(dismissed_); },
            [this](const told::Abort& abort) { note_end(abort.problem); }},
        decode_launcher_message(message));
}

void WorkerLink::answer(const told::Ping& ping) {
    send({{"type", type::pong},
          {"number", ping.number},
          {"clock_us", clock_us(Clock::now())},
          {"busy_us", busy_us(job_clock_)}});
}

void WorkerLink::note_assignment(messages::Assign assign) {
    deadline_ = std::chrono::duration_cast<Clock::duration>(Seconds(assign.assignment.spec.deadline_s));
    watchdog_.cancel();
    update([&] {
        assign_ = std::move(assign);
        joined_ = true;
        next_hello_.reset();
        gate_.forget_pause();  // what came before is of the nodes that this node was with
    });
}

void WorkerLink::answer_with_last_step(std::int64_t (StepGate::*ask)()) {
    std::int64_t step = 0;
    update([&] { step = (gate_.*ask)(); });
    send({{"type", type::at_step}, {"step", step}});
}

void WorkerLink::note_loss() {
    update([this] {
        if (next_hello_) return;  // the launcher knows already that this node stands still
        peer_lost_ = true;
        gate_.forget_pause();
        if (interrupt_) interrupt_();
    });
}

// The connection ended, or the launcher said that the run did.
void WorkerLink::note_end(const messages::Problem& problem) {
    bool expected = false;
    update([&] {
        expected = leaving_ || !joined_;
        dismissed_ = true;
        // What comes first is the reason; a connection that ends is what follows.
        if (!joined_ && !refused_) refused_ = std::make_exception_ptr(Error(problem.code, problem.message));
    });
    if (!expected) end_process(problem);
}

// The connection cannot tell it, but the launcher reads the standard error of its workers.
void WorkerLink::fail_alone(const messages::Problem& problem) {
    if (options_.own) say(problem.message);
    end_process(problem);
}

void WorkerLink::end_process(const messages::Problem& problem) {
    // A worker that somebody started by hand has a terminal of its own; for others the launcher speaks.
    if (!options_.own) say(problem.message);
    std::_Exit(static_cast<int>(problem.code));
}

// Silence is counted in ticks and not on the clock, as the launcher does it.
WorkerLink::Task WorkerLink::watch_launcher() {
    while (true) {
        watchdog_.expires_after(deadline_ / watchdog_ticks);
        const auto [cancelled] = co_await watchdog_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (closed_) co_return;
        if (cancelled) continue;  // the deadline is another one now
        if (++silent_ticks_ <= watchdog_ticks) continue;
        note_end({.code = ExitCode::node_lost,
                  .message = fmt::format("{} has said nothing for {} s", options_.launcher_name(),
                                         Seconds(deadline_).count())});
        channel_.close();
        co_return;
    }
}

void WorkerLink::send(nlohmann::json message) {
    spawn(deliver(std::move(message)));
}

WorkerLink::Task WorkerLink::deliver_and_tell(nlohmann::json message, bool& sent) {
    co_await deliver(std::move(message));
    update([&sent] { sent = true; });
}

WorkerLink::Task WorkerLink::deliver(nlohmann::json message) {
    try {
        co_await channel_.send(std::move(message));
    } catch (const NodeLostError&) {
        // listen() meets the same end and deals with it.
    }
}

void WorkerLink::leave(nlohmann::json last_word) {
    update([this] { leaving_ = true; });
    send(std::move(last_word));
    wait_for([this] { return dismissed_; });
}

void WorkerLink::done() {
    leave({{"type", type::done}, {"stopped", stopped_}});
}

void WorkerLink::failed(const messages::Problem& problem) {
    leave(messages::encode(type::failed, problem));
}

void WorkerLink::agree(const Fingerprints& fingerprints) {
    update([this] { agreed_ = false; });
    send(messages::encode(fingerprints));
    wait_for([this] { return agreed_ || peer_lost_; });
    if (!agreed_) throw NodeLostError(loss_elsewhere);
}

void WorkerLink::progress(const NodeProgress& progress) {
    const auto now = Clock::now();
    if (progress.phase == last_phase_ && now - last_progress_ < progress_interval) return;
    last_progress_ = now;
    last_phase_ = progress.phase;
    send(messages::encode(progress));
}

// Records are many times their size as JSON. They go in pieces, one after another, so that a node's memory
// has its peak in training and not in telling of it.
void WorkerLink::records(NodeRecords records) {
    while (!records.empty()) {
        bool sent = false;
        auto piece = records_to_json(records.take_first(messages::most_rows_of_records));
        spawn(deliver_and_tell({{"type", type::records}, {"records", std::move(piece)}}, sent));
        wait_for([&sent] { return sent; });
    }
}

void WorkerLink::weights(std::span<const std::byte> safetensors) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(safetensors.data());
    send({{"type", type::weights}, {"bytes", nlohmann::json::binary_t({first, first + safetensors.size()})}});
}

void WorkerLink::checkpoint(NodeCheckpoint checkpoint) {
    // One at a time, so that a slow disk holds training up and does not fill the memory.
    wait_for([this] { return !checkpoint_on_its_way_; });
    update([this] { checkpoint_on_its_way_ = true; });
    send(messages::encode(checkpoint));
}

void WorkerLink::suspend(const Error& lost, NodeCheckpoint state) {
    suspended_ = Suspended{.problem = messages::Problem{.code = lost.code(), .message = lost.what()},
                           .state = std::move(state)};
}

void WorkerLink::stand_still(NodeCheckpoint state) {
    suspended_ = Suspended{.problem = std::nullopt, .state = std::move(state)};
}

void WorkerLink::on_loss(std::function<void()> interrupt) {
    update([&] {
        interrupt_ = std::move(interrupt);
        if (interrupt_ && peer_lost_) interrupt_();
    });
}

messages::Assign WorkerLink::rejoin(messages::Hello hello) {
    const auto [problem, state] = *std::exchange(suspended_, std::nullopt);
    auto message =
        problem ? messages::encode(type::suspended, *problem) : nlohmann::json{{"type", type::suspended}};
    message["step"] = state.step;
    const auto say_again = [&] {
        update([&] {
            assign_.reset();
            state_wanted_ = peer_lost_ = false;
            next_hello_ = hello;
        });
        send(message);
    };
    say_again();
    while (true) {
        wait_for([this] { return assign_ || state_wanted_ || peer_lost_; });
        bool gives = false, again = false;
        update([&] {
            gives = std::exchange(state_wanted_, false);
            again = peer_lost_;
        });
        if (gives) send(messages::encode(state, type::state));
        if (again) {  // another node was lost before this one was assigned
            say_again();
        } else if (!gives) {
            return *std::exchange(assign_, std::nullopt);
        }
    }
}

// This node does not stand still before the fault, so the launcher answers in any case, or ends the process.
void WorkerLink::fault(const FaultSpec& fault) {
    update([this] { fault_noted_ = false; });
    send({{"type", type::fault}, {"step", fault.step}});
    wait_for([this] { return fault_noted_; });
}

void WorkerLink::cut_off() {
    asio::post(io_, [this] { stay_silent(); });
}

// All connections of this node are served by the I/O thread. The nodes on the other side of the partition
// have long counted this node as lost when it ends.
void WorkerLink::stay_silent() {
    std::this_thread::sleep_for(2 * deadline_);
    end_process({.code = ExitCode::node_lost,
                 .message = fmt::format("cut off by the fault partition, and ended after {} s",
                                        Seconds(2 * deadline_).count())});
}

StepAnswer WorkerLink::ask_for_step(std::int64_t step) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return gate_.is_decided(); });
    const auto answer = gate_.begin(step);
    stopped_ = answer == StepAnswer::stop;
    return answer;
}

}  // namespace convoy
