#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// What happens to one worker of a simulated run.
enum class Fault : std::uint8_t {
    start_fails,  ///< its process cannot be started
    absent,       ///< it never connects
    version,      ///< it runs another version
    fingerprint,  ///< it says another fingerprint
    kill,         ///< its process is killed
    error,        ///< it reports an error of its own
    garble,       ///< it sends nonsense
    hang,         ///< it does nothing any more, and ignores SIGTERM
    stall,        ///< its job stands still, and its connection answers
    cut,          ///< the network loses all that it sends and gets
    unlink        ///< its connections to its peers close
};

struct PlannedFault {
    Fault kind = Fault::kill;
    std::size_t worker = 0;
    std::int64_t stage = 0;  ///< 0: before it agrees; a step: in that step; steps + 1: after it is done
};

/// A bug that is put into the machine, or into a worker: it spoils the actions, the way to go on, or a sum.
enum class Bug : std::uint8_t {
    lets_live,     ///< the process of a lost member is not ended: it may think that it is the run
    keeps_ghost,   ///< a lost member is counted among those that go on
    forgets,       ///< a member is not told to stand still
    steps_back,    ///< the members go on from a step that is not the last
    keeps_behind,  ///< a member that is behind gets no state
    sums_old_part  ///< after a loss, the first member adds its part of the last step to the next sum
};

/// A connection of somebody who is no part of the run.
enum class Stranger : std::uint8_t { silent, nonsense, hangs_up, wrong_token, too_late, flood };

struct PlannedStranger {
    Stranger kind = Stranger::silent;
    double at_s = 0.0;
};

/// All that is decided before a simulated run begins.
struct HistoryPlan {
    std::uint64_t seed = 0;
    std::size_t nodes = 1, by_hand = 0;
    std::int64_t steps = 1;
    std::int64_t checkpoint_every = 0;  ///< steps; 0: never
    double slowest_message_s = 0.01;
    double slowest_step_s = 0.1;
    double slowest_evaluation_s = 0.0;  ///< after the last step
    double slowest_start_s = 0.0;       ///< of a process
    std::vector<PlannedFault> faults;
    std::vector<PlannedStranger> strangers;
    std::vector<double> signals_at_s;
    bool shrinks = false;  ///< the run goes on without nodes that are lost; the launcher has all processes
    bool grows = false;    ///< another process is started in the place of a lost one
    /// Faults of the processes that are started so, in their order. Stage 0: before it agrees.
    std::vector<PlannedFault> later_faults;
    std::optional<double> stop_wanted_at_s;          ///< the launcher cannot keep records
    double stopped_at_s = 0.0, stopped_for_s = 0.0;  ///< the launcher's process alone is stopped; 0: never
    std::int64_t suspended_after_step = 0;           ///< all of the machine sleeps for a minute; 0: never
    std::optional<Bug> bug;                          ///< no draw has one

    [[nodiscard]] std::string text() const;
};

/// The plan that belongs to a seed: runs of all kinds.
HistoryPlan draw_history(std::uint64_t seed);
/// The same, of longer runs that lose nodes, and mostly get others in their places.
HistoryPlan draw_history_of_changes(std::uint64_t seed);
