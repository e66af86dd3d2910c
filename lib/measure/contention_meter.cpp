#include "measure/contention_meter.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/name_rule.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// The text of a file of /proc or /sys; absent if the system has no such file, or does not show it. Also
/// absent if the file can be opened and not read: that of a thread which has ended since.
std::optional<std::string> text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text;
    std::array<char, 4096> piece{};
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    return in.bad() ? std::nullopt : std::optional(std::move(text));
}

/// What parse() finds in a text; absent if there is no text, or one of another form: these readings are no
/// reason to end a run.
template <typename Parse>
auto found_in(const std::optional<std::string>& text, const Parse& parse)
    -> std::optional<typename decltype(std::optional(parse(*text)))::value_type> {
    try {
        if (text) return parse(*text);
    } catch (const DataError&) {
    }
    return std::nullopt;
}

/// Absent if the kernel does not count the waiting of threads.
std::optional<WaitsByThread> read_waits() {
    WaitsByThread waits;
    std::error_code gone;
    for (fs::directory_iterator task("/proc/self/task", gone), end; !gone && task != end;
         task.increment(gone)) {
        const auto name = task->path().filename().string();
        std::int64_t thread = 0;
        std::from_chars(name.data(), name.data() + name.size(), thread);
        // The thread may have ended since it was listed.
        const auto text = text_of(task->path() / "schedstat");
        if (const auto wait = found_in(text, parse_thread_wait)) waits[thread] = *wait;
    }
    return waits.empty() ? std::nullopt : std::optional(std::move(waits));
}

/// The processor time of the process that started this one, if it is of the same program.
std::optional<double> starter_cpu_s() {
    const auto starter = fs::path("/proc") / std::to_string(::getppid());
    std::error_code hidden;
    const auto program = fs::read_symlink(starter / "exe", hidden);
    if (hidden || program != fs::read_symlink("/proc/self/exe", hidden) || hidden) return std::nullopt;
    const auto text = text_of(starter / "stat");
    if (!text || text->empty()) return std::nullopt;
    const auto times = parse_process_stat(*text, static_cast<double>(::sysconf(_SC_CLK_TCK)));
    return times.user_s + times.system_s;
}

/// The mean over all cores of the machine.
std::optional<double> frequency_mhz() {
    double sum = 0.0;
    int known = 0;
    for (long core = 0; core < ::sysconf(_SC_NPROCESSORS_CONF); ++core) {
        std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpufreq/scaling_cur_freq");
        double kilohertz = 0.0;
        if (!(in >> kilohertz)) continue;
        sum += kilohertz * 1e-3;
        ++known;
    }
    if (known > 0) return sum / known;
    const auto text = text_of("/proc/cpuinfo");
    return found_in(text, parse_frequency_mhz);
}

std::optional<double> load_average() {
    return found_in(text_of("/proc/loadavg"), parse_load_average);
}

/// A name that may stand in messages and files.
std::string machine_name() {
    utsname system{};
    ::uname(&system);
    const std::string name = system.nodename;
    return file_names.allows(name) ? name : "machine";
}

std::string boot_id() {
    constexpr std::size_t digits = 8;
    const auto id = text_of("/proc/sys/kernel/random/boot_id").value_or("").substr(0, digits);
    return file_names.allows(id) ? id : "";
}

/// Counters of /proc may fall by a tick.
double growth(double from, double to) {
    return std::max(0.0, to - from);
}

}  // namespace

void ThreadWaits::look(const WaitsByThread& waits) {
    for (auto seen = threads_.begin(); seen != threads_.end();) {
        const auto now = waits.find(seen->first);
        // Less than before: another thread has got the number of one that has ended.
        const bool ended = now == waits.end() || now->second < seen->second.last;
        if (ended) ended_ += seen->second.last - seen->second.first;
        seen = ended ? threads_.erase(seen) : std::next(seen);
    }
    for (const auto& [thread, wait] : waits) {
        const auto [seen, is_new] =
            threads_.try_emplace(thread, Seen{.first = begun_ ? 0 : wait, .last = wait});
        if (!is_new) seen->second.last = wait;
    }
    begun_ = true;
}

double ThreadWaits::total_s() const {
    auto sum = ended_;
    for (const auto& [thread, seen] : threads_) sum += seen.last - seen.first;
    return static_cast<double>(sum) * 1e-9;
}

void ContentionMeter::begin() {
    const std::lock_guard lock(mutex_);
    waits_ = {};
    begun_ = true;
    look_at_threads();
    load_at_start_ = load_average();
    start_mhz_ = frequency_mhz();
    start_ = read();
}

void ContentionMeter::look() {
    const std::lock_guard lock(mutex_);
    if (begun_) look_at_threads();
}

void ContentionMeter::look_at_threads() {
    const auto waits = read_waits();
    tells_waits_ = waits.has_value();
    if (waits) waits_.look(*waits);
}

std::optional<Contention> ContentionMeter::so_far() {
    const std::lock_guard lock(mutex_);
    if (!begun_) return std::nullopt;
    const auto now = read();
    look_at_threads();
    const auto tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto own_cores = CoreList::of_process();
    Contention told{.machine = machine_name(),
                    .boot_id = boot_id(),
                    .elapsed_s = Seconds(now.time - start_.time).count(),
                    .cpu_s = growth(start_.cpu_s, now.cpu_s),
                    .involuntary_switches = now.involuntary_switches - start_.involuntary_switches,
                    .machine_busy_s = tick_s * growth(start_.machine.busy, now.machine.busy),
                    .steal_s = tick_s * growth(start_.machine.steal, now.machine.steal),
                    .cores = ::sysconf(_SC_NPROCESSORS_ONLN),
                    .usable_cores = usable_cores(own_cores),
                    .core_list = own_cores,
                    .load_at_start = load_at_start_,
                    .start_mhz = start_mhz_,
                    .end_mhz = frequency_mhz()};
    if (tells_waits_) told.waited_s = waits_.total_s();
    if (start_.starter_cpu_s && now.starter_cpu_s)
        told.starter_cpu_s = growth(*start_.starter_cpu_s, *now.starter_cpu_s);
    return told;
}

ContentionMeter::Counters ContentionMeter::read() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return {.time = Clock::now(),
            .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
            .involuntary_switches = usage.ru_nivcsw,
            .starter_cpu_s = starter_cpu_s(),
            .machine = parse_machine_stat(read_proc("/proc/stat"))};
}

}  // namespace convoy
