#include "base/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/spawn_attributes.hpp"

// Not by Boost.Process (1.81): where a program ends without reading its input, that writes on and this
// process is ended by SIGPIPE; and posix_spawn(3) is most of what is left to do.

namespace convoy {

namespace {

[[noreturn]] void fail(const std::string& program, int reason) {
    const auto text = fmt::format("{}: cannot be started: {}", program, std::strerror(reason));
    if (reason == ENOENT || reason == EACCES || reason == ENOTDIR) throw MissingFileError(text);
    throw OutputError(text);
}

/// A file in memory that holds the text: what reads it cannot block, and nobody can close it early on us.
void open_input(Descriptor& file, std::string_view text, const std::string& program) {
    file.reset(::memfd_create("input", MFD_CLOEXEC));
    if (file.get() < 0) fail(program, errno);
    while (!text.empty()) {
        const auto written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(program, errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(file.get(), 0, SEEK_SET);
}

Pipe open_pipe(const std::string& program) {
    auto pipe = Pipe::open();
    if (!pipe) fail(program, errno);
    return pipe;
}

pid_t start(const std::vector<std::string>& command, int in, int out, int err) {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    pid_t pid = -1;
    const SpawnAttributes attributes;
    const int problem =
        ::posix_spawnp(&pid, arguments[0], &files, attributes.get(), arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (problem != 0) fail(command.front(), problem);
    return pid;
}

/// Takes what is there; false at the end of the pipe.
bool read_some(int pipe, std::string& text) {
    std::array<char, 65536> piece{};
    const auto count = ::read(pipe, piece.data(), piece.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    text.append(piece.data(), static_cast<std::size_t>(count));
    return count > 0;
}

/// Reads both pipes until they and the process (handle) are at their end. False at the deadline, or when a
/// signal waits that may end this process.
bool follow(Descriptor& out, Descriptor& err, Descriptor& handle, Clock::time_point deadline,
            ProgramOutcome& outcome) {
    const auto signals = file_of_held_signals();
    while (out.get() >= 0 || err.get() >= 0 || handle.get() >= 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        std::array<pollfd, 4> ends{{{out.get(), POLLIN, 0},
                                    {err.get(), POLLIN, 0},
                                    {handle.get(), POLLIN, 0},
                                    {signals.get(), POLLIN, 0}}};
        if (::poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(left, 60'000))) <= 0)
            continue;
        if (ends[3].revents != 0) return false;
        if (ends[0].revents != 0 && !read_some(out.get(), outcome.out)) out.reset();
        if (ends[1].revents != 0 && !read_some(err.get(), outcome.err)) err.reset();
        if (ends[2].revents != 0) handle.reset();
    }
    return true;
}

int end_of(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProgramOutcome run_program(const std::vector<std::string>& command, std::string_view input,
                           std::chrono::milliseconds deadline) {
    const auto until = Clock::now() + deadline;
    // A signal that ends this process does so once the program has been ended.
    const HeldSignals held;
    Descriptor in;
    open_input(in, input, command.front());
    auto out = open_pipe(command.front());
    auto err = open_pipe(command.front());
    const auto pid = start(command, in.get(), out.write_end.get(), err.write_end.get());
    out.write_end.reset();
    err.write_end.reset();

    ProgramOutcome outcome;
    // By its number: glibc 2.36 declares pidfd_open for C only.
    Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    outcome.in_time = follow(out.read_end, err.read_end, handle, until, outcome);
    if (!outcome.in_time) ::kill(pid, SIGKILL);
    outcome.code = end_of(pid);
    return outcome;
}

}  // namespace convoy
