#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/operator_timer.hpp"
#include "program/communicator.hpp"
#include "program/gradient_sums.hpp"
#include "program/kernel.hpp"

namespace convoy {

/// An exchange that is under way.
struct StartedExchange {
    Ticket ticket{};
    Interval handover;  ///< how long starting it took
};

/// The exchanges of one node that were started and not yet waited for, by name: a wait may stand in another
/// program than its start.
class InFlight {
  public:
    /// Where an exchange of this name is kept; the same place for the same name.
    std::size_t place_of(const std::string& name) {
        const auto found = std::ranges::find(names_, name);
        if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
        names_.push_back(name);
        started_.emplace_back();
        return names_.size() - 1;
    }
    void put(std::size_t place, const StartedExchange& exchange) { started_.at(place) = exchange; }
    /// The exchange, which is kept no longer; nothing where none was started.
    std::optional<StartedExchange> take(std::size_t place) {
        return std::exchange(started_.at(place), std::nullopt);
    }

  private:
    std::vector<std::string> names_;
    std::vector<std::optional<StartedExchange>> started_;
};

/// All that the programs of one node share from run to run, beside tensors.
struct StepState {
    InFlight in_flight = {};
    std::optional<GradientSums> sums = {};  ///< where steps are cut into micro-batches
    StepContext before = {};                ///< of the step that updates marked of_step_before complete
};

}  // namespace convoy
