#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convoy::test {

/// A program that goes on until the test ends it: in a session of its own, with its output in a file. The
/// destructor ends it, and it alone, and waits for its end.
class Daemon {
  public:
    /// log: the file of its standard output and errors.
    Daemon(std::vector<std::string> words, const std::filesystem::path& log);
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    Daemon(Daemon&&) = delete;
    Daemon& operator=(Daemon&&) = delete;
    ~Daemon();

    /// Waits until is_ready() is true. Throws std::runtime_error, with the log, if the program ends first, or
    /// at the end of the patience of tests.
    void wait_until(const std::function<bool()>& is_ready) const;

  private:
    pid_t pid_ = -1;
    std::filesystem::path log_;
};

/// Whether somebody listens at a port of loopback.
bool is_listening(int port);

}  // namespace convoy::test
