#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "measure/proc.hpp"
#include "measure/records.hpp"

namespace convoy {

/// What this process has used so far: fills the fields of a NodeSummary that the system knows.
struct ProcessTotals {
    double cpu_user_s = 0.0, cpu_system_s = 0.0;  ///< by getrusage
    std::uint64_t peak_resident_bytes = 0;        ///< VmHWM: ru_maxrss would count what ran before exec
};
ProcessTotals process_totals();

/// Bytes over this node's own connections so far.
struct TrafficTotals {
    std::uint64_t sent_bytes = 0, received_bytes = 0;
};

/// A thread that reads /proc at an interval, until it is stopped or destroyed (both return at once). The
/// percentages of a sample cover the time since the sample before, or since the start.
class SystemSampler {
  public:
    /// traffic is called from the sampler's thread and must outlive it. interval is more than 0.
    SystemSampler(std::int64_t node, Seconds interval, std::function<TrafficTotals()> traffic);
    SystemSampler(const SystemSampler&) = delete;
    SystemSampler& operator=(const SystemSampler&) = delete;
    SystemSampler(SystemSampler&&) = delete;
    SystemSampler& operator=(SystemSampler&&) = delete;
    ~SystemSampler();

    /// Ends the thread and takes a last sample, unless there was one just before. Throws what went wrong in
    /// the thread. Call it once or not at all.
    void stop();
    /// The samples since the last call, in order of time.
    std::vector<SystemSample> take();

  private:
    struct Reading {
        TimePoint time;
        ProcessTimes process;
        MachineTimes machine;
    };
    static Reading read();
    void run();
    void end_thread();
    void sample();

    std::int64_t node_;
    Seconds interval_;
    std::function<TrafficTotals()> traffic_;
    TimePoint start_;
    Reading before_;
    bool sampled_ = false;  ///< the thread's own until it has ended
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::vector<SystemSample> samples_;
    std::exception_ptr problem_;
    std::thread thread_;
};

}  // namespace convoy
