#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// The harm that a fault does to a node.
///
/// * kill: its process ends by SIGKILL
/// * term: its process receives SIGTERM, which ends it
/// * hang: its process receives SIGSTOP, so it answers nobody
/// * slow: it computes more slowly from then on
/// * drop_link: its connections to the other nodes are closed
/// * partition: it computes on, but no byte comes to it or from it any more
/// * deadlock: it answers the launcher, and its training waits for ever
enum class FaultKind : std::uint8_t { kill, term, hang, slow, drop_link, partition, deadlock };

/// Whether a node with this fault goes on.
inline bool is_survived(FaultKind kind) {
    return kind == FaultKind::slow;
}

/// A fault that a node does to itself when it begins a step.
struct FaultSpec {
    std::int64_t node = 0;  ///< its rank when the run begins
    std::int64_t step = 1;  ///< over the whole run, counted from 1
    FaultKind kind = FaultKind::kill;
    double factor = 2.0;  ///< slow: by this factor; as long as the process lives
    bool operator==(const FaultSpec&) const = default;
};

/// Faults at random times, which the launcher draws and does.
struct RandomFaultsSpec {
    double mean_time_s = 0.0;  ///< between two faults, which come as a Poisson process
    std::uint64_t seed = 1;
    std::int64_t count = 10;  ///< faults that are drawn
    std::vector<FaultKind> kinds{FaultKind::kill};
    std::vector<std::int64_t> nodes = {};  ///< ranks when the run begins; empty: all
    bool operator==(const RandomFaultsSpec&) const = default;
};

/// The faults of an experiment: none, some at their steps, or random ones.
struct FaultsSpec {
    std::vector<FaultSpec> at_steps = {};
    std::optional<RandomFaultsSpec> random = {};
    [[nodiscard]] bool empty() const { return at_steps.empty() && !random; }
    bool operator==(const FaultsSpec&) const = default;
};

/// A random fault, drawn.
struct TimedFault {
    double time_s = 0.0;  ///< from the time at which the nodes first began to train
    std::int64_t node = 0;
    FaultKind kind = FaultKind::kill;
    bool operator==(const TimedFault&) const = default;
};

/// Draws random faults, in the order of their times. The result is a function of its arguments only.
/// ranks: of the run.
std::vector<TimedFault> draw_faults(const RandomFaultsSpec& random, std::int64_t ranks);

/// The name of each kind in specs, messages and tables.
inline constexpr std::pair<std::string_view, FaultKind> fault_kind_names[] = {
    {"kill", FaultKind::kill},           {"term", FaultKind::term},
    {"hang", FaultKind::hang},           {"slow", FaultKind::slow},
    {"drop_link", FaultKind::drop_link}, {"partition", FaultKind::partition},
    {"deadlock", FaultKind::deadlock}};

/// The name of a kind: "drop_link", for instance.
std::string_view fault_name(FaultKind kind);

}  // namespace convoy
