#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/sanitized.hpp"

namespace convoy::test {

/// How long a test waits for something that a process does, before it fails.
inline constexpr std::chrono::seconds patience{is_sanitized ? 600 : 100};

/// What a finished convoy left.
struct Outcome {
    int code = 0;  ///< exit code, or minus the signal that ended it
    std::string out, err;
};

/// Limits and places for a convoy under test.
struct ProcessSettings {
    std::filesystem::path data{};               ///< CONVOY_DATA; empty: what the tests were given
    unsigned long long most_file_bytes = 0;     ///< RLIMIT_FSIZE, as a disk that is full; 0: none
    unsigned long long most_address_bytes = 0;  ///< RLIMIT_AS, as by ulimit -v; 0: none
    std::string path{};                         ///< PATH; empty: what the tests were given
    unsigned short terminal_width = 0;          ///< characters of the terminal that it writes to; 0: none
    bool deaf = false;  ///< begins with signals blocked and SIGCHLD ignored, as a careless parent leaves them
};

/// The program under test, running. Killed and reaped by the destructor where it still runs.
class ConvoyProcess {
  public:
    explicit ConvoyProcess(const std::vector<std::string>& arguments, const ProcessSettings& settings = {});
    ConvoyProcess(const ConvoyProcess&) = delete;
    ConvoyProcess& operator=(const ConvoyProcess&) = delete;
    ConvoyProcess(ConvoyProcess&&) = delete;
    ConvoyProcess& operator=(ConvoyProcess&&) = delete;
    ~ConvoyProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Blocks until is_true() is true, or the process ends first (then false). Throws at the end of
    /// its patience.
    bool wait_until(const std::function<bool()>& is_true);
    /// Blocks until stderr holds this text, or the process ends (then false). Throws at the end of
    /// its patience.
    bool wait_for_error_text(const std::string& text);
    /// What it has written to stderr until then.
    [[nodiscard]] const std::string& error_text() const { return err_text_; }
    void signal(int number) const;
    /// Sends a signal that ends the process at once, and blocks until it has ended.
    Outcome end_by(int number);
    /// Whether it has not ended yet.
    [[nodiscard]] bool is_running() const;
    /// Blocks until it ends.
    Outcome wait();
    /// The processes that it started and that still live.
    [[nodiscard]] std::vector<pid_t> children() const;

  private:
    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;  ///< our ends of its pipes
    std::string out_text_, err_text_;
    /// Waits for more of either, at most so long. False once both are at their end.
    bool read_some(int milliseconds = -1);
};

/// Runs convoy to its end.
Outcome run_convoy(const std::vector<std::string>& arguments, const ProcessSettings& settings = {});

/// Blocks until a process is gone, by its /proc entry; the kernel tells through a pidfd.
void wait_until_gone(pid_t pid);

}  // namespace convoy::test
