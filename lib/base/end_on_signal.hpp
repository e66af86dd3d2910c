#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace convoy {

/// The signals by which a user ends a program: Ctrl-C, kill(1), the end of the terminal.
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

/// Whether the signals of this kind are ignored, as those of the terminal's end are under nohup(1).
bool is_ignored(int signal);

/// For the start of a program: whatever mask and actions it has inherited, this thread receives the ending
/// signals, and can wait for its children.
void receive_signals();

/// While an object of this class lives, the ending signals wait, as far as this thread would receive them.
/// Then they have the mask of before.
class HeldSignals {
  public:
    HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    HeldSignals(HeldSignals&&) = delete;
    HeldSignals& operator=(HeldSignals&&) = delete;
    ~HeldSignals();

    void hold();
    /// Lets the signals through until the next hold(): somebody listens.
    void let_through();
    /// The signals wait also after this object, until somebody else lets them through: the process has
    /// failed, and is to say so first.
    void stay() { stays_ = true; }

  private:
    sigset_t mask_{};
    bool stays_ = false;
};

/// Ends the process as EndOnSignal does if an ending signal has come while this thread held it.
void let_waiting_signals_end(std::string_view line);

/// Gives the ending signals, in its destructor, the actions that they had when the object was made. For what
/// sets others and leaves the default action behind (boost::asio::signal_set).
class SignalActions {
  public:
    SignalActions();
    SignalActions(const SignalActions&) = delete;
    SignalActions& operator=(const SignalActions&) = delete;
    SignalActions(SignalActions&&) = delete;
    SignalActions& operator=(SignalActions&&) = delete;
    ~SignalActions();

  private:
    std::array<struct sigaction, ending_signals.size()> actions_{};
};

/// A file that is readable while an ending signal waits for this thread, which holds them (signalfd(2)).
/// Negative if there is none; errno has the reason.
Descriptor file_of_held_signals();

/// While an object of this class lives, an ending signal ends the process at once: with a line on standard
/// error, exit code 130 and no destructor. (A SIGHUP that is ignored stays ignored.) For phases in which no
/// event loop listens, and whose files may be left at any moment. An object may stand within the life of
/// another, and hides its line. Other threads leave the signal to the thread of the object, which may hold
/// it.
class EndOnSignal {
  public:
    /// line: behind "convoy: "; it says where things are that the process leaves.
    explicit EndOnSignal(std::string_view line = "interrupted");
    EndOnSignal(const EndOnSignal&) = delete;
    EndOnSignal& operator=(const EndOnSignal&) = delete;
    EndOnSignal(EndOnSignal&&) = delete;
    EndOnSignal& operator=(EndOnSignal&&) = delete;
    ~EndOnSignal();

    /// For the handler of the signals.
    void end(int signal) const;

  private:
    HeldSignals held_;
    SignalActions before_;
    std::string text_;
    pid_t thread_;
    const EndOnSignal* hidden_;
};

}  // namespace convoy
