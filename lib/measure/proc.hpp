#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace convoy {

/// What Linux tells about processes and machines, read from the text of its files (proc(5)). The functions
/// are pure: they take the text, and throw DataError where it does not hold what they need.

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

struct MachineTimes {
    double idle = 0.0, iowait = 0.0,
           total = 0.0;  ///< ticks over all cores since boot; guests are part of user and not added again
};
/// The first line of /proc/stat.
MachineTimes parse_machine_stat(std::string_view text);

struct Processor {
    std::string model;  ///< empty where the file names none (as on ARM)
    std::string flags;  ///< all of them, blank-separated
};
/// The first processor of /proc/cpuinfo.
Processor parse_cpuinfo(std::string_view text);

/// MemTotal of /proc/meminfo.
std::uint64_t parse_memory_total(std::string_view text);

/// A file of /proc as text (their sizes are not known before reading). Throws MissingFileError.
std::string read_proc(const char* file);

}  // namespace convoy
