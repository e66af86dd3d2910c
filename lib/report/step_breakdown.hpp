#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_record.hpp"

namespace convoy {

/// A part of the time of a training step. The parts add up to the step.
enum class StepPart : std::uint8_t {
    convolution_forward,
    convolution_backward,
    dense,         ///< dense layers, forward and backward
    other,         ///< all other operators
    update,        ///< optimizer, clipping and what else belongs to the update
    data,          ///< the wait for the batch
    network,       ///< exposed communication without the wait for slower nodes
    slower_nodes,  ///< exposed skew: the wait for slower nodes
    rest           ///< between operators: the executor and its timers
};
inline constexpr std::size_t step_part_count = 9;
/// The part in words for a legend: "convolution, forward".
std::string_view step_part_name(StepPart part);

/// The part to which an operator belongs that is no exchange.
StepPart step_part_of(const OperatorRecord& row);
/// Whether a row is the start of an exchange or the wait for it.
bool is_communication(const OperatorRecord& row);

/// Microseconds of each part.
class PartTimes {
  public:
    [[nodiscard]] double operator[](StepPart part) const { return us_.at(static_cast<std::size_t>(part)); }
    double& operator[](StepPart part) { return us_.at(static_cast<std::size_t>(part)); }
    /// All operators that compute, the update among them.
    [[nodiscard]] double computation_us() const;

  private:
    std::array<double, step_part_count> us_{};
};

/// The mean step of one node.
struct NodeStep {
    std::int64_t node = 0;
    double step_us = 0.0;
    PartTimes parts = {};
    bool has_examples = false;  ///< a server, for instance, has none
    /// The time in which the node worked by itself: all but waiting for other nodes and the network.
    [[nodiscard]] double own_us() const {
        return step_us - parts[StepPart::network] - parts[StepPart::slower_nodes];
    }
};

/// The times of one exchange in a step in microseconds, as means over all steps and over the nodes that train
/// and take part.
struct MeanExchange {
    std::string name;  ///< of its bucket, or of its tensor
    double in_flight_us = 0.0, hidden_us = 0.0;
    double network_us = 0.0, slower_nodes_us = 0.0;  ///< together the exposed time
    [[nodiscard]] double exposed_us() const { return network_us + slower_nodes_us; }
    /// The hidden and the exposed time.
    [[nodiscard]] double length_us() const { return hidden_us + exposed_us(); }
    /// The hidden part of length_us() in per cent; 0 if length_us() is 0.
    [[nodiscard]] double hidden_pct() const {
        return length_us() > 0.0 ? 100.0 * hidden_us / length_us() : 0.0;
    }
    /// Adds the times of another exchange.
    MeanExchange& operator+=(const MeanExchange& other);
};

/// Where the time of the training steps went.
struct StepBreakdown {
    /// In ascending order; those with a step. Without those that trained and have told no operators, if
    /// others have: they were lost.
    std::vector<NodeStep> nodes;
    std::vector<MeanExchange> exchanges;  ///< in the order of their first records
    /// The sum of all exchanges, without a name.
    [[nodiscard]] MeanExchange all_exchanges() const;
};

/// The mean step of each node, over all training steps of the run.
StepBreakdown step_breakdown(const RunResults& results);

}  // namespace convoy
