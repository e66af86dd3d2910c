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

/// The CPU time and the memory that this process has used so far.
struct ProcessTotals {
    double cpu_user_s = 0.0, cpu_system_s = 0.0;  ///< by getrusage
    std::uint64_t peak_resident_bytes = 0;  ///< VmHWM; ru_maxrss would also count the program before exec
};
ProcessTotals process_totals();

/// The bytes over this node's own connections so far. Absent: not known.
struct TrafficTotals {
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
};

/// Reads /proc at an interval, in a thread of its own, until it is stopped or destroyed (both return at
/// once). The percentages of a sample count the time since the sample before, or since the start.
class SystemSampler {
  public:
    /// interval: more than 0. traffic: called from the sampler's thread; the objects that it uses must
    /// outlive this sampler.
    SystemSampler(std::int64_t node, Seconds interval, std::function<TrafficTotals()> traffic);
    SystemSampler(const SystemSampler&) = delete;
    SystemSampler& operator=(const SystemSampler&) = delete;
    SystemSampler(SystemSampler&&) = delete;
    SystemSampler& operator=(SystemSampler&&) = delete;
    ~SystemSampler();

    /// Ends the thread and takes a last sample, unless there was one just before. Throws the error of the
    /// thread, if it had one. Call it at most once.
    void stop();
    /// Moves out the samples since the last call, in order of time.
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
    bool sampled_ = false;  ///< used by the thread only, until it has ended
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::vector<SystemSample> samples_;
    std::exception_ptr problem_;
    std::thread thread_;
};

}  // namespace convoy
