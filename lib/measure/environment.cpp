#include "measure/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/utc_text.hpp"
#include "base/version.hpp"
#include "measure/core_list.hpp"
#include "measure/proc.hpp"

namespace convoy {

namespace {

/// Extensions that decide which kernels run; names as Linux writes them.
constexpr std::array<const char*, 11> flags_of_interest{"sse4_2",      "avx",      "avx2",     "fma",
                                                        "avx512f",     "avx512bw", "avx512vl", "avx512_vnni",
                                                        "avx512_bf16", "amx_tile", "asimd"};

nlohmann::json extensions(const std::string& flags) {
    auto found = nlohmann::json::array();
    std::istringstream all(flags);
    for (std::string flag; all >> flag;) {
        for (const auto* wanted : flags_of_interest) {
            if (flag == wanted) found.push_back(flag);
        }
    }
    return found;
}

/// The words of the command by which this process was started.
nlohmann::json command() {
    auto words = nlohmann::json::array();
    std::istringstream all(read_proc("/proc/self/cmdline"));
    for (std::string word; std::getline(all, word, '\0');) words.push_back(word);
    return words;
}

nlohmann::json processor() {
    const auto described = parse_cpuinfo(read_proc("/proc/cpuinfo"));
    nlohmann::json found{{"model", described.model},
                         {"cores", std::thread::hardware_concurrency()},
                         {"usable_cores", usable_cores()},
                         {"flags", extensions(described.flags)}};
    if (described.model.empty()) {
        found["model"] = nullptr;
        found["model_reason"] = "/proc/cpuinfo names no model";
    }
    return found;
}

/// The compiler and its version.
std::string compiler() {
#ifdef __clang__
    return fmt::format("clang++ {}", __clang_version__);
#else
    return fmt::format("g++ {}", __VERSION__);
#endif
}

}  // namespace

nlohmann::json environment_json(const std::map<std::string, std::string>& versions) {
    utsname system{};
    ::uname(&system);
    return {{"host", system.nodename},
            {"cpu", processor()},
            {"memory_bytes", parse_memory_total(read_proc("/proc/meminfo"))},
            {"kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
            {"command", command()},
            {"compiler", compiler()},
            {"build", {{"commit", commit()}, {"options", build_options()}}},
            {"versions", versions},
            {"date_utc", utc_text()}};
}

}  // namespace convoy
