#include "cluster/pending_faults.hpp"

#include <algorithm>
#include <iterator>

namespace convoy {

std::vector<FaultSpec> PendingFaults::at_steps_of(std::int64_t place) const {
    std::vector<FaultSpec> faults;
    std::ranges::copy_if(at_steps_, std::back_inserter(faults),
                         [place](const FaultSpec& fault) { return fault.node == place; });
    return faults;
}

std::optional<FaultSpec> PendingFaults::take(std::int64_t place, std::int64_t step) {
    const auto found = std::ranges::find_if(
        at_steps_, [&](const FaultSpec& fault) { return fault.node == place && fault.step == step; });
    if (found == at_steps_.end()) return std::nullopt;
    const auto fault = *found;
    at_steps_.erase(found);
    return fault;
}

void PendingFaults::note_training(TimePoint now) {
    all_train_ = true;
    if (timed_ != nullptr) timed_->begin(now);
}

std::optional<TimePoint> PendingFaults::next_due() const {
    return all_train_ && timed_ != nullptr ? timed_->next_due() : std::nullopt;
}

std::optional<TimedFault> PendingFaults::take_due(TimePoint now) {
    return all_train_ && timed_ != nullptr ? timed_->take_due(now) : std::nullopt;
}

}  // namespace convoy
