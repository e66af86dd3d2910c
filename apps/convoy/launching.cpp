#include "launching.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/count_text.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "cluster/restarts.hpp"
#include "run_faults.hpp"
#include "run_logs.hpp"

namespace convoy {
namespace {

[[noreturn]] void end_interrupted(PartialRun& partial) {
    partial.note_interrupted();
    throw InterruptedError("interrupted after a node was lost");
}

/// Waits. Returns false as soon as a signal that ends the process comes, or if it has come before.
bool wait_without_signal(Clock::duration pause) {
    const auto signals = file_of_held_signals();
    const auto until = Clock::now() + pause;
    pollfd watched{.fd = signals.get(), .events = POLLIN, .revents = 0};
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        const auto ready = ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
        if (ready > 0) return false;
        if (ready == 0) return true;
    }
}

std::string place_text(const Continuation& from) {
    return from.checkpoint ? fmt::format("the checkpoint of step {}", from.step())
                           : std::string("the beginning");
}

/// Makes the partial run and the options those of a run that goes on from a checkpoint.
void go_back(ReadyRun& run, Continuation from) {
    run.begun.resumed_from_steps = from.resumed_from_steps();
    run.partial.go_back(run.record(run.begun), run.weights_bytes, marks_of(from, run.folder));
    if (run.monitoring != nullptr) run.monitoring->monitor().begin(run.partial.journals());
    run.options.resume = std::move(from.checkpoint);
    forget_past_faults(run.options.spec.faults, run.failures);
    auto& warnings = run.begun.warnings;
    if (!run.partial.lost_records() || std::ranges::find(warnings, lost_records_line) != warnings.end())
        return;
    warnings.emplace_back(lost_records_line);
    run.voice.warn(lost_records_line);
}

/// Prepares another launch after a node was lost. Throws NodeLostError if the run has begun often enough.
void prepare_restart(ReadyRun& run, Restarts& restarts, FailureLog& log) {
    auto from = newest_checkpoint(run.checkpoints, run.checked, run.voice);
    log.note_step(from.step());
    const auto cause = log.lost()->cause;
    const auto most = run.checked.spec.failures.restarts;
    const auto pause = restarts.next(from.step());
    run.partial.describe(run.record(run.begun));
    if (!pause) {
        throw NodeLostError(
            fmt::format("{}; {} from {} did not help", cause, count_text(most, "restart"), place_text(from)));
    }
    const auto when =
        pause->count() == 0 ? std::string() : fmt::format(" in {:.0f} s", Seconds(*pause).count());
    const auto line = fmt::format("{}; all nodes start again{}, from {} (restart {} of {} from there)", cause,
                                  when, place_text(from), restarts.number(), most);
    run.voice.warn(line);
    if (run.logs != nullptr) run.logs->write({}, LogLevel::warning, line);
    if (!wait_without_signal(*pause)) end_interrupted(run.partial);
    go_back(run, std::move(from));
}

}  // namespace

RunOutcome launch_and_restart(ReadyRun run, ProgressLine& progress) {
    LoggingObserver logging(progress, run.logs);
    MonitoringObserver shown(logging, run.monitoring);
    std::vector<std::int64_t> places_apart;  // by rank; empty: rows have the ranks that nodes have last
    FailureLog log(
        shown, run.failures,
        [&run](std::int64_t after, std::int64_t up_to) {
            return examples_between(run.checked, after, up_to);
        },
        [&run](std::int64_t place, std::int64_t after) { return share_behind(run.checked, place, after); },
        [&](const GoesOn& goes_on) {
            try {
                if (goes_on.apart) {
                    places_apart = goes_on.places;
                    run.partial.go_on_apart(goes_on.places, run.record(run.begun));
                } else {
                    run.partial.go_on_with(goes_on.nodes, run.record(run.begun));
                }
            } catch (const OutputError&) {
                // The next records meet the same disk, and stop the run.
            }
        });
    const auto begun_from = run.options.resume ? run.options.resume->step() : 0;
    Restarts restarts(run.checked.spec.failures.restarts, begun_from);
    for (bool is_first = true;; is_first = false) {
        log.begin_launch();
        try {
            auto outcome = launch(run.options, log);
            if (!places_apart.empty())
                for (auto& node : outcome.nodes)
                    node.rank = places_apart.at(static_cast<std::size_t>(node.rank));
            if (outcome.status == RunStatus::done)
                std::ranges::move(faults_missed(run.options.spec.faults, log.faults()),
                                  std::back_inserter(outcome.warnings));
            return outcome;
        } catch (const Error&) {
            const bool restarts_it = run.checked.spec.failures.policy == FailurePolicy::restart &&
                                     log.lost() && (log.lost()->had_begun || !is_first);
            if (log.lost()) run.partial.describe(run.record(run.begun));
            if (!restarts_it) throw;
        }
        if (log.was_interrupted()) end_interrupted(run.partial);
        progress.begin_again();
        prepare_restart(run, restarts, log);
    }
}

}  // namespace convoy
