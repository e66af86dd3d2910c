#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

/// Functions that parse files of Linux about processes, machines (proc(5)) and control groups (cgroups(7)).
/// They are pure: each takes the text of a file, and throws DataError if the text lacks a needed value.

struct ProcessTimes {
    double user_s = 0.0, system_s = 0.0;  ///< all threads, since the process began
};
/// From /proc/self/stat; ticks_per_second is sysconf(_SC_CLK_TCK). The command's name may hold blanks and
/// brackets.
ProcessTimes parse_process_stat(std::string_view text, double ticks_per_second);

struct ProcessMemory {
    std::uint64_t resident_bytes = 0, peak_resident_bytes = 0;
};
/// VmRSS and VmHWM from /proc/self/status.
ProcessMemory parse_process_status(std::string_view text);

/// In ticks over all cores, since boot. Guest time is a part of user time and not counted twice.
struct MachineTimes {
    double idle = 0.0, iowait = 0.0, total = 0.0;
    double busy = 0.0;   ///< user, nice and system: processes, and no interrupts
    double steal = 0.0;  ///< the hypervisor gave the cores to other guests
};
/// The first line of /proc/stat.
MachineTimes parse_machine_stat(std::string_view text);

struct Processor {
    std::string model;  ///< empty if the file names none (as on ARM)
    std::string flags;  ///< all of them, blank-separated
};
/// The first processor of /proc/cpuinfo.
Processor parse_cpuinfo(std::string_view text);

/// The mean of the "cpu MHz" of all processors in /proc/cpuinfo. Absent if the file has none (as on ARM).
std::optional<double> parse_frequency_mhz(std::string_view text);

/// The time in which a thread was runnable but did not run, in nanoseconds since it began, from
/// /proc/self/task/TID/schedstat. Absent if the kernel does not count it: then the thread seems never to have
/// run.
std::optional<std::uint64_t> parse_thread_wait(std::string_view text);

/// The load average over one minute, from /proc/loadavg.
double parse_load_average(std::string_view text);

/// MemTotal of /proc/meminfo.
std::uint64_t parse_memory_total(std::string_view text);

/// MemTotal less MemAvailable of /proc/meminfo.
std::uint64_t parse_memory_used(std::string_view text);

/// MemAvailable and SwapFree of /proc/meminfo, summed. SwapFree may be missing.
std::uint64_t parse_memory_available(std::string_view text);

/// A number of memory.stat of a control group. Absent if the text has no such key.
std::optional<std::uint64_t> parse_group_statistic(std::string_view text, std::string_view key);

/// Reads a file of /proc as text. The size of such a file is not known before reading. Throws
/// MissingFileError.
std::string read_proc(const char* file);

}  // namespace convoy
