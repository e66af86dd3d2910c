#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace convoy {

/// The open files through which a process enters a host before it begins. The process that keeps the host
/// owns the namespace and the groups.
struct HostEntrance {
    Descriptor network;                      ///< network namespace, see setns(2)
    std::vector<Descriptor> control_groups;  ///< the file cgroup.procs of each group, for writing
};

/// How a process ended.
struct ProcessEnd {
    bool by_signal = false;
    int value = 0;  ///< the signal if by_signal, else the exit code

    /// The end as text: "was killed by signal 9 (Killed)" or "ended with exit code 3".
    [[nodiscard]] std::string text() const;
    bool operator==(const ProcessEnd&) const = default;
};

/// The descriptor under which a child has the file that its parent gave it.
inline constexpr int child_control = 3;

/// The things that a child gets from its parent.
struct ChildSettings {
    std::map<std::string, std::string> environment = {};  ///< variables in addition to this process's own
    const HostEntrance* host =
        nullptr;       ///< the host on which the child runs; null: the place of this process
    int control = -1;  ///< a file of this process for child_control; negative: none
    int errors = -1;   ///< a file for its standard output and errors; negative: this process's standard error
    int standard = -1;  ///< a file for its standard input and output; negative: nothing, and as `errors`
    bool ignores_term = false;  ///< it ignores SIGTERM too
};

/// A process that this process started. The destructor kills and reaps it. The kernel kills it when the
/// thread that started it ends (prctl(2) PR_SET_PDEATHSIG), also if this thread's process is killed. The
/// child inherits no other files than those of its settings. It
/// ignores SIGINT and SIGHUP, so Ctrl-C on a terminal, and the terminal's end, reach only the process that
/// started it.
class ChildProcess {
  public:
    /// command: the program's path and its arguments. Throws ClusterError if the program cannot be started.
    explicit ChildProcess(const std::vector<std::string>& command, const ChildSettings& settings = {});
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ChildProcess(ChildProcess&&) = delete;
    ChildProcess& operator=(ChildProcess&&) = delete;
    ~ChildProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// A file descriptor, owned by this object, that becomes readable when the process ends (pidfd_open(2)).
    [[nodiscard]] int handle() const { return handle_; }
    /// The end of the process; absent while it runs. Reaps the process.
    std::optional<ProcessEnd> ended();
    /// Sends a signal, if the process still runs.
    void signal(int number);

  private:
    pid_t pid_ = -1;
    int handle_ = -1;
    std::optional<ProcessEnd> end_;
};

}  // namespace convoy
