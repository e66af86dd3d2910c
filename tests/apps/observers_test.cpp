#include <catch2/catch.hpp>

#include "failure_log.hpp"
#include "monitoring.hpp"
#include "run_logs.hpp"

using namespace convoy;

namespace {

class Counter final : public LaunchObserver {
  public:
    void on_time_passed() override { ++times; }
    int times = 0;
};

}  // namespace

TEST_CASE("all observers of a run tell the next one that time passed") {
    Counter last;
    std::vector<NodeFailure> failures;
    FailureLog log(
        last, failures, [](std::int64_t, std::int64_t) { return std::int64_t{0}; },
        [](std::int64_t, std::int64_t) { return std::int64_t{0}; }, [](const GoesOn&) {});
    MonitoringObserver monitoring(log, nullptr);
    LoggingObserver logging(monitoring, nullptr);
    logging.on_time_passed();
    CHECK(last.times == 1);
}
