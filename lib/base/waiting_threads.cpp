#include "base/waiting_threads.hpp"

#include <unistd.h>

#include <cstdlib>

namespace convoy {
namespace {

/// How many turns a compute thread of OpenMP waits with its core, before it gives the core back. Threads that
/// wait for long take the cores from the threads for which they wait, if anything else runs beside them.
/// Threads that wait too shortly pay for being woken in each layer. Measured with a node of two threads on
/// two cores, in ms a step, alone and beside a process that keeps a core busy:
///
///     turns                     300         500         700        1000       10000
///     lenet5, batch 48       4.1, 5.7    2.9, 6.7    2.9, 7.2    2.9, 8.2    2.4, 19
///     resnet_v1 20, 64        78, 150     82, 154     73, 160     74, 163     70, 273
constexpr auto turns_of_waiting_threads = "700";
constexpr auto turns_variable = "GOMP_SPINCOUNT";

}  // namespace

std::pair<std::string, std::string> setting_of_waiting_threads() {
    return {turns_variable, turns_of_waiting_threads};
}

bool has_setting_of_waiting_threads() {
    return std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv(turns_variable) != nullptr;
}

void restart_with_setting_of_waiting_threads(char** arguments) {
    if (has_setting_of_waiting_threads()) return;
    if (::setenv(turns_variable, turns_of_waiting_threads, 0) == 0) ::execv("/proc/self/exe", arguments);
}

}  // namespace convoy
