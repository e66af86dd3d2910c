// A worker whose job is told by its first argument, as a test of the launcher wants it.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cluster/odd_workers.hpp"
#include "cluster/worker.hpp"

namespace {

using convoy::Communicator;
using convoy::Network;
using convoy::NodeAssignment;
using convoy::NodeReporter;

constexpr std::int64_t rounds = 8;

/// What a behaviour does at the start of a round, counted from 1.
using Mischief = std::function<void(const NodeAssignment&, std::int64_t round)>;

convoy::NodeRecords steps_until(const NodeAssignment& node, std::int64_t last) {
    convoy::NodeRecords records;
    for (std::int64_t step = 1; step <= last; ++step)
        records.steps.push_back({.node = node.rank, .epoch = 1, .step = step, .loss = 0.5, .examples = 1});
    return records;
}

/// Tells the weights, and then these records with a summary.
void report(const NodeAssignment& node, NodeReporter& reporter, std::int64_t steps,
            convoy::NodeRecords records) {
    auto& summary = records.summaries.emplace_back();
    summary.node = node.rank;
    summary.threads = node.threads;
    summary.steps = steps;
    const std::array weights{std::byte{1}, std::byte{2}, std::byte{250}};
    if (node.rank == 0) reporter.weights(weights);
    reporter.records(std::move(records));
}

/// All-reduces a small vector, and checks the sum.
void reduce(const NodeAssignment& node, Communicator& communicator) {
    std::vector<float> buffer(1000);
    std::iota(buffer.begin(), buffer.end(), static_cast<float>(node.rank));
    communicator.wait(communicator.start(buffer, {.options = {.segment_bytes = 512}}));
    const auto expected =
        static_cast<float>(node.world_size * (node.world_size - 1) / 2 + 999 * node.world_size);
    if (buffer.back() != expected)
        throw convoy::InternalError(fmt::format("a round sums to {}, not {}", buffer.back(), expected));
}

/// Reduces so many times, each as a step. Returns the steps that it took.
std::int64_t reduce_rounds(const NodeAssignment& node, Communicator& communicator, NodeReporter& reporter,
                           std::int64_t count, const Mischief& mischief) {
    reporter.agree({{"labels", "the same"}});
    std::int64_t round = 0;
    while (round < count && reporter.ask_for_step(round + 1) == convoy::StepAnswer::begin) {
        ++round;
        reporter.progress({.phase = "train", .epoch = 1, .epochs = 1, .step = round, .steps = count});
        mischief(node, round);
        reduce(node, communicator);
    }
    return round;
}

/// What a node of the behaviour "checkpoints" has in hand after a step.
convoy::NodeCheckpoint in_hand(const NodeAssignment& node, std::int64_t step) {
    convoy::NodeCheckpoint checkpoint;
    checkpoint.step = step;
    checkpoint.epoch.node = node.rank;
    checkpoint.so_far.node = node.rank;
    if (node.rank == 0) checkpoint.tensors = {std::byte{7}, static_cast<std::byte>(step)};
    return checkpoint;
}

/// Tells a checkpoint after each of 4 steps, or of those that are left, with a record of the step before it.
void tell_checkpoints(const NodeAssignment& node, NodeReporter& reporter) {
    std::int64_t step = 0;
    if (node.resume) {
        step = node.resume->step;
        const std::vector given{std::byte{7}, static_cast<std::byte>(step)};
        if (node.resume->tensors != given || node.resume->epoch.node != node.rank)
            throw convoy::InternalError("this is not what was in hand");
    }
    while (++step <= 4) {
        reporter.progress({.phase = fmt::format("step {}", step)});
        convoy::NodeRecords records;
        records.steps.push_back({.node = node.rank, .epoch = 1, .step = step, .loss = 0.5, .examples = 1});
        records.trace.push_back({node.rank, "compute", "Conv2D", "conv1", step, 0.5, 1.5});
        reporter.records(std::move(records));
        reporter.checkpoint(in_hand(node, node.rank == 1 && node.world_size == 3 ? step + 1 : step));
    }
}

/// Tells that it runs and then only computes: no call that could notice anything.
[[noreturn]] void compute_for_ever(NodeReporter& reporter) {
    if (reporter.ask_for_step(1) != convoy::StepAnswer::begin) std::_Exit(1);
    reporter.progress({.phase = "train", .epoch = 1, .epochs = 1, .step = 1, .steps = 2});
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "busy\n", 5);
    for (std::atomic<std::uint64_t> count = 0;;) ++count;
}

Mischief at(std::int64_t rank, std::int64_t round, std::function<void()> act) {
    return [=](const NodeAssignment& node, std::int64_t now) {
        if (node.rank == rank && now == round) act();
    };
}

convoy::NodeJob rounds_with(Mischief mischief, std::int64_t count = rounds) {
    return [=](const NodeAssignment& node, Network& network, NodeReporter& reporter) {
        auto& communicator = network.connect(convoy::all_reduce_links(node.rank, network.hosts(), {}, 1));
        const auto steps = reduce_rounds(node, communicator, reporter, count, mischief);
        report(node, reporter, steps, steps_until(node, steps));
    };
}

/// Node 0 tells that it reads; after that node 1 tells its step, and exits.
void exit_with_last_words(const NodeAssignment& node, Network& network, NodeReporter& reporter) {
    if (node.rank == 0) reporter.progress({.phase = "read"});
    if (node.rank == 0) reporter.records(steps_until(node, 1));  // returns when both are sent
    reduce(node, network.connect(convoy::all_reduce_links(node.rank, network.hosts(), {}, 1)));
    if (node.rank != 1) ::pause();
    reporter.progress({.phase = "train", .epoch = 1, .epochs = 1, .step = 3, .steps = rounds});
    reporter.records(steps_until(node, 1));
    std::_Exit(3);
}

/// Reduces until it is stopped. It tells its weights long after its steps, as one with much to evaluate.
void tell_weights_late(const NodeAssignment& node, Network& network, NodeReporter& reporter) {
    constexpr int rounds_of_evaluation = 500;
    auto& communicator = network.connect(convoy::all_reduce_links(node.rank, network.hosts(), {}, 1));
    const auto steps = reduce_rounds(node, communicator, reporter, std::numeric_limits<std::int64_t>::max(),
                                     [](const NodeAssignment&, std::int64_t) {});
    reporter.records(steps_until(node, steps));
    for (int round = 0; round < rounds_of_evaluation; ++round) reduce(node, communicator);
    report(node, reporter, steps, {});
}

std::map<std::string, convoy::NodeJob> jobs() {
    const auto nothing = [](const NodeAssignment&, std::int64_t) {};
    return {
        {"rounds", rounds_with(nothing)},
        {"endless", rounds_with(nothing, std::numeric_limits<std::int64_t>::max())},
        {"kill", rounds_with(at(2, 5, [] { ::raise(SIGKILL); }))},
        {"exit", rounds_with(at(1, 3, [] { std::_Exit(3); }))},
        {"hang", rounds_with(at(1, 4, [] { ::raise(SIGSTOP); }))},
        {"absent", rounds_with(at(1, 4, [] { ::pause(); }))},
        {"data_error",
         rounds_with(at(2, 3, [] { throw convoy::DataError("labels.gz: label 11 is above 9"); }))},
        {"bug", rounds_with(at(0, 2, [] { throw std::out_of_range("index 7"); }))},
        {"exit_after",
         [](const auto& node, auto&, auto& reporter) {
             report(node, reporter, 0, {});
             if (node.rank == 1) ::atexit([] { std::_Exit(5); });
         }},
        {"fingerprint",
         [](const auto& node, auto&, auto& reporter) {
             reporter.agree({{"labels", node.rank == 1 ? "another" : "the same"}});
         }},
        {"unready",
         [](const auto& node, auto&, auto& reporter) {
             if (node.rank == 1) ::pause();
             reporter.agree({{"labels", "the same"}});
         }},
        {"blocked",
         [](const auto&, auto&, auto& reporter) {
             reporter.progress({.phase = "read", .file = "/data/labels.gz"});
             ::pause();
         }},
        {"stopped",
         [](const auto& node, auto&, auto& reporter) {
             if (node.rank == 1) ::raise(SIGSTOP);
             reporter.agree({{"labels", "the same"}});
         }},
        {"interrupt_while_blocked",
         [](const auto& node, auto&, auto& reporter) {
             reporter.progress({.phase = "read", .file = "/data/labels.gz"});
             if (node.rank == 0) ::kill(::getppid(), SIGINT);
             ::pause();
         }},
        {"complains",
         [](const auto& node, auto&, auto& reporter) {
             fmt::print(stderr, "convoy: an error of its own\nERROR: \033[1mSanitizer\n");
             std::fflush(stderr);
             if (node.rank == 0) std::_Exit(9);
             reporter.agree({{"labels", "the same"}});
         }},
        {"last_words", exit_with_last_words},
        {"late_weights", tell_weights_late},
        {"checkpoints", [](const auto& node, auto&, auto& reporter) { tell_checkpoints(node, reporter); }},
        {"busy", [](const auto&, auto&, auto& reporter) { compute_for_ever(reporter); }},
    };
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

// fake_worker BEHAVIOUR --join HOST:PORT [--rank RANK], or:
// fake_worker BEHAVIOUR --control FD --rank RANK --interface ADDRESS
int main(int count, char** arguments) {
    if (count != 4 && count != 6 && count != 8) return 64;
    const std::string behaviour = arguments[1];
    if (behaviour == "interrupt") ::kill(::getppid(), SIGINT);
    if (behaviour == "mute" || behaviour == "interrupt") ::pause();
    if (behaviour == "leave") return 3;
    convoy::WorkerOptions options;
    if (count == 8) {
        options.own = {.descriptor = std::stoi(arguments[3]), .rank = std::stoll(arguments[5])};
        options.interface = arguments[7];
    } else {
        options.launcher = arguments[3];
        options.token = environment("CONVOY_TOKEN");
        if (count == 6) options.rank = std::stoll(arguments[5]);
    }
    if (behaviour == "wrong_token") options.token += "x";
    try {
        if (behaviour == "old") return join_as_old_worker(options);
        if (behaviour == "unlike_proof") return join_unlike_proof(options);
        return convoy::run_worker(options, jobs().at(behaviour == "wrong_token" ? "rounds" : behaviour));
    } catch (const convoy::Error& error) {
        return static_cast<int>(error.code());
    } catch (const std::exception&) {
        // An old worker that finds the launcher gone, as another was refused before it came.
        return 69;
    }
}
