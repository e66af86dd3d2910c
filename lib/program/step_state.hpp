#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
    Interval handover;      ///< the time in which the executor started it
    std::int64_t call = 0;  ///< see InFlight::next_call
};

/// The exchanges of one node that were started and not yet waited for, by name. A wait may stand in another
/// program than its start.
class InFlight {
  public:
    /// The place of an exchange with this name. The same name has always the same place.
    std::size_t place_of(const std::string& name) {
        const auto [found, added] = places_.emplace(name, started_.size());
        if (added) {
            started_.emplace_back();
            calls_.push_back(0);
        }
        return found->second;
    }
    /// The number of the exchange that begins at this place now, counted from 1.
    std::int64_t next_call(std::size_t place) { return ++calls_.at(place); }
    void put(std::size_t place, const StartedExchange& exchange) { started_.at(place) = exchange; }
    /// The exchange at this place that is under way, or nothing.
    [[nodiscard]] const std::optional<StartedExchange>& at(std::size_t place) const {
        return started_.at(place);
    }
    /// Removes and returns the exchange at this place. Returns nothing if no exchange was started there.
    std::optional<StartedExchange> take(std::size_t place) {
        return std::exchange(started_.at(place), std::nullopt);
    }

  private:
    std::map<std::string, std::size_t> places_;  // by name
    std::vector<std::optional<StartedExchange>> started_;
    std::vector<std::int64_t> calls_;  // so far, by place
};

/// The state that the programs of one node share between runs, apart from tensors.
struct StepState {
    InFlight in_flight = {};
    std::optional<GradientSums> sums = {};  ///< set if steps are cut into micro-batches
    /// The context of the step before. Operators with `of_step_before` run with it.
    StepContext before = {};
};

}  // namespace convoy
