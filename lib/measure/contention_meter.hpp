#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "measure/contention.hpp"
#include "measure/proc.hpp"

namespace convoy {

/// Waiting times of threads, in nanoseconds since each began, by thread.
using WaitsByThread = std::map<std::int64_t, std::uint64_t>;

/// Adds up the waiting of the threads of a process from several looks at them. A thread that ends between two
/// looks counts with its last value.
class ThreadWaits {
  public:
    /// The first look is the begin: the waiting before it does not count.
    void look(const WaitsByThread& waits);
    [[nodiscard]] double total_s() const;

  private:
    struct Seen {
        std::uint64_t first = 0, last = 0;
    };
    std::map<std::int64_t, Seen> threads_;
    std::uint64_t ended_ = 0;
    bool begun_ = false;
};

/// Measures a Contention of this process. Several threads may use it.
class ContentionMeter {
  public:
    /// Begins to measure. Before it, nothing is told.
    void begin();
    /// Looks at the threads that there are, so that they count after they have ended. Call it now and then.
    void look();
    /// What was measured since the begin. Absent before it. The emulated host is left to the caller.
    [[nodiscard]] std::optional<Contention> so_far();

  private:
    /// Counters of the system, which only grow.
    struct Counters {
        TimePoint time;
        double cpu_s = 0.0;
        std::int64_t involuntary_switches = 0;
        std::optional<double> starter_cpu_s;
        MachineTimes machine;
    };
    static Counters read();
    void look_at_threads();

    std::mutex mutex_;
    bool begun_ = false;
    bool tells_waits_ = true;
    ThreadWaits waits_;
    Counters start_;
    std::optional<double> load_at_start_, start_mhz_;
};

}  // namespace convoy
