#include "cluster/step_gate.hpp"

namespace convoy {

std::int64_t StepGate::ask_to_stop() {
    stop_.asked = true;
    return begun_;
}

std::int64_t StepGate::ask_to_pause() {
    pause_ = {.asked = true};
    return begun_;
}

StepAnswer StepGate::begin(std::int64_t step) {
    if (stop_.is_passed(step)) return StepAnswer::stop;
    if (pause_.is_passed(step)) return StepAnswer::stand_still;
    begun_ = step;
    return StepAnswer::begin;
}

}  // namespace convoy
