#include "measure/proc.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.hpp"

namespace convoy {

namespace {

constexpr std::string_view blanks = " \t";

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    auto start = text.find_first_not_of(blanks);
    while (start != std::string_view::npos) {
        const auto end = text.find_first_of(" \t\n", start);
        found.push_back(text.substr(start, end - start));
        if (end == std::string_view::npos || text[end] == '\n') break;
        start = text.find_first_not_of(blanks, end);
        if (start != std::string_view::npos && text[start] == '\n') break;
    }
    return found;
}

std::uint64_t number(std::string_view word, std::string_view what) {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc{} || end != word.data() + word.size()) {
        throw DataError(fmt::format("{}: found \"{}\", expected a number", what, word));
    }
    return value;
}

double decimal(std::string_view word, std::string_view what) {
    double value = 0.0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc{} || end != word.data() + word.size() || !(value >= 0.0)) {
        throw DataError(fmt::format("{}: found \"{}\", expected a number", what, word));
    }
    return value;
}

std::string_view without_blanks_before(std::string_view text) {
    const auto start = text.find_first_not_of(blanks);
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

/// The rest of the line "KEY: VALUE" or "KEY VALUE" with this key; empty where there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (line.starts_with(key)) {
            const auto rest = line.substr(key.size());
            const auto value = without_blanks_before(rest);
            if (value.starts_with(':')) return without_blanks_before(value.substr(1));
            if (value.size() < rest.size()) return value;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

std::uint64_t kilobytes(std::string_view text, std::string_view key) {
    const auto found = words(value_of(text, key));
    if (found.size() != 2 || found[1] != "kB") throw DataError(fmt::format("/proc: no {} in kB", key));
    return number(found[0], key) * 1024;
}

}  // namespace

ProcessTimes parse_process_stat(std::string_view text, double ticks_per_second) {
    // The name is in brackets and may hold anything; utime and stime are the 12th and 13th word after it.
    const auto name_end = text.rfind(')');
    const auto after = name_end == std::string_view::npos ? std::vector<std::string_view>{}
                                                          : words(text.substr(name_end + 1));
    if (after.size() < 13) throw DataError("/proc/self/stat: fewer fields than expected");
    return {static_cast<double>(number(after[11], "/proc/self/stat utime")) / ticks_per_second,
            static_cast<double>(number(after[12], "/proc/self/stat stime")) / ticks_per_second};
}

ProcessMemory parse_process_status(std::string_view text) {
    return {kilobytes(text, "VmRSS"), kilobytes(text, "VmHWM")};
}

MachineTimes parse_machine_stat(std::string_view text) {
    const auto found = words(text);
    if (found.size() < 9 || found[0] != "cpu") throw DataError("/proc/stat: no line of all processors");
    MachineTimes times;
    const auto ticks = [&](std::size_t word) {
        return static_cast<double>(number(found[word], "/proc/stat"));
    };
    for (std::size_t i = 1; i < 9; ++i) times.total += ticks(i);
    times.idle = ticks(4);
    times.iowait = ticks(5);
    times.busy = ticks(1) + ticks(2) + ticks(3);
    times.steal = ticks(8);
    return times;
}

Processor parse_cpuinfo(std::string_view text) {
    const auto flags = value_of(text, "flags");
    return {std::string(value_of(text, "model name")),
            std::string(flags.empty() ? value_of(text, "Features") : flags)};
}

std::optional<double> parse_frequency_mhz(std::string_view text) {
    double sum = 0.0;
    int processors = 0;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (const auto found = words(value_of(line, "cpu MHz")); !found.empty()) {
            sum += decimal(found[0], "/proc/cpuinfo: cpu MHz");
            ++processors;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return processors > 0 ? std::optional(sum / processors) : std::nullopt;
}

std::optional<std::uint64_t> parse_thread_wait(std::string_view text) {
    const auto found = words(text);
    if (found.size() < 3) throw DataError("schedstat: fewer fields than expected");
    if (number(found[2], "schedstat: time slices") == 0) return std::nullopt;
    return number(found[1], "schedstat: waiting time");
}

double parse_load_average(std::string_view text) {
    const auto found = words(text);
    return decimal(found.empty() ? std::string_view{} : found[0], "/proc/loadavg");
}

std::uint64_t parse_memory_total(std::string_view text) {
    return kilobytes(text, "MemTotal");
}

std::uint64_t parse_memory_used(std::string_view text) {
    const auto total = kilobytes(text, "MemTotal");
    return total - std::min(total, kilobytes(text, "MemAvailable"));
}

std::uint64_t parse_memory_available(std::string_view text) {
    const bool has_swap = !value_of(text, "SwapFree").empty();
    return kilobytes(text, "MemAvailable") + (has_swap ? kilobytes(text, "SwapFree") : 0);
}

std::optional<std::uint64_t> parse_group_statistic(std::string_view text, std::string_view key) {
    const auto value = value_of(text, key);
    if (value.empty()) return std::nullopt;
    return number(value, key);
}

std::string read_proc(const char* file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw MissingFileError(fmt::format("{}: cannot be opened; convoy needs Linux' /proc", file));
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace convoy
