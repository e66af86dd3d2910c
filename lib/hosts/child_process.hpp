#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace convoy {

/// Where a process is let in before it begins: files that are open, owned by whoever keeps the host.
struct HostEntrance {
    Descriptor network;                      ///< a network namespace, see setns(2)
    std::vector<Descriptor> control_groups;  ///< cgroup.procs of each, to be written
};

/// How a process ended.
struct ProcessEnd {
    bool by_signal = false;
    int value = 0;  ///< the signal, or the exit code

    /// As in "was killed by signal 9 (Killed)" or "ended with exit code 3".
    [[nodiscard]] std::string text() const;
    bool operator==(const ProcessEnd&) const = default;
};

/// A process that this one started. It never outlives this object (which kills and reaps it), nor the thread
/// that started it (the kernel kills it then, prctl(2) PR_SET_PDEATHSIG), also when that thread's process is
/// killed. It reads nothing on its standard input, writes standard output and errors to this process's
/// standard error, inherits no other file, and ignores SIGINT: Ctrl-C on a terminal reaches only the process
/// that started it.
class ChildProcess {
  public:
    /// command: the program's path and its arguments. environment: set on top of this process's own. host: on
    /// which it is started; null: where this process is. Throws ClusterError where the program cannot be
    /// started.
    ChildProcess(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& environment, const HostEntrance* host = nullptr);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ChildProcess(ChildProcess&&) = delete;
    ChildProcess& operator=(ChildProcess&&) = delete;
    ~ChildProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// A file descriptor, owned by this object, that becomes readable when the process ends (pidfd_open(2)).
    [[nodiscard]] int handle() const { return handle_; }
    /// How the process ended, absent while it runs. Reaps it.
    std::optional<ProcessEnd> ended();
    /// Sends a signal, if the process still runs.
    void signal(int number);

  private:
    pid_t pid_ = -1;
    int handle_ = -1;
    std::optional<ProcessEnd> end_;
};

}  // namespace convoy
