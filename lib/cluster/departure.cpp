#include "cluster/departure.hpp"

namespace convoy {

using namespace std::chrono_literals;

namespace {

constexpr auto patience_after_terminate = 500ms;
/// No process survives SIGKILL, so this wait is long only where the machine is very busy.
constexpr auto patience_after_kill = 10s;

}  // namespace

Departure::Push Departure::push(TimePoint now) {
    if (!due_ || now < *due_) return Push::none;
    switch (last_) {
        case Push::none: due_ = now + patience_after_terminate; return last_ = Push::terminate;
        case Push::terminate: due_ = now + patience_after_kill; return last_ = Push::kill;
        default: due_.reset(); return last_ = Push::give_up;
    }
}

}  // namespace convoy
