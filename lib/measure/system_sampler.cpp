#include "measure/system_sampler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Counters of /proc may fall by a tick (iowait is documented to): a share is never below 0.
double percent(double part, double whole) {
    return whole > 0.0 ? std::max(0.0, 100.0 * part / whole) : 0.0;
}

}  // namespace

ProcessTotals process_totals() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return {.cpu_user_s = seconds(usage.ru_utime),
            .cpu_system_s = seconds(usage.ru_stime),
            .peak_resident_bytes = parse_process_status(read_proc("/proc/self/status")).peak_resident_bytes};
}

SystemSampler::SystemSampler(std::int64_t node, Seconds interval, std::function<TrafficTotals()> traffic)
    : node_(node),
      interval_(interval),
      traffic_(std::move(traffic)),
      start_(Clock::now()),
      before_(read()),
      thread_([this] { run(); }) {}

SystemSampler::~SystemSampler() {
    end_thread();
}

void SystemSampler::end_thread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void SystemSampler::stop() {
    end_thread();
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
    // Processor time comes in ticks of 10 ms: over a very short time a share would mean nothing.
    if (sampled_ && since(before_.time) < interval_ / 2) return;
    sample();
}

std::vector<SystemSample> SystemSampler::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(samples_, {});
}

SystemSampler::Reading SystemSampler::read() {
    return {.time = Clock::now(),
            .process =
                parse_process_stat(read_proc("/proc/self/stat"), static_cast<double>(::sysconf(_SC_CLK_TCK))),
            .machine = parse_machine_stat(read_proc("/proc/stat"))};
}

void SystemSampler::run() {
    try {
        const auto step = std::chrono::duration_cast<Clock::duration>(interval_);
        auto due = start_;
        while (true) {
            // From the due time and not from now, so that samples do not drift; those that were missed are
            // left out.
            due += step;
            if (const auto now = Clock::now(); due <= now) due = now + step;
            std::unique_lock lock(mutex_);
            if (wake_.wait_until(lock, due, [this] { return stopping_; })) return;
            lock.unlock();
            sample();
        }
    } catch (...) {
        problem_ = std::current_exception();
    }
}

void SystemSampler::sample() {
    const auto now = read();
    const auto memory = parse_process_status(read_proc("/proc/self/status"));
    const auto traffic = traffic_();
    const double elapsed = Seconds(now.time - before_.time).count();
    const double ticks = now.machine.total - before_.machine.total;
    const SystemSample sample{
        .node = node_,
        .time_s = Seconds(now.time - start_).count(),
        .cpu_user_pct = percent(now.process.user_s - before_.process.user_s, elapsed),
        .cpu_system_pct = percent(now.process.system_s - before_.process.system_s, elapsed),
        .cpu_iowait_pct = percent(now.machine.iowait - before_.machine.iowait, ticks),
        .resident_bytes = memory.resident_bytes,
        .sent_bytes = traffic.sent_bytes,
        .received_bytes = traffic.received_bytes,
        .cpu_idle_pct = percent(now.machine.idle - before_.machine.idle, ticks),
        .clock_us = Microseconds(now.time.time_since_epoch()).count(),
        .machine_used_bytes = parse_memory_used(read_proc("/proc/meminfo"))};
    before_ = now;
    sampled_ = true;
    const std::lock_guard lock(mutex_);
    samples_.push_back(sample);
}

}  // namespace convoy
