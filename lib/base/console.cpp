#include "base/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace convoy {
namespace {

/// Returns 0, or the system's reason.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd room{descriptor, POLLOUT, 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

void prepare_console() {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(standard, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is the closed one, since those below it are open. Its other direction only:
        // what would be read or written there is still an error.
        [[maybe_unused]] const int opened =
            ::open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void say(std::string_view line) {
    write_all(STDERR_FILENO, fmt::format("convoy: {}\n", printable(line)));
}

void say_plainly(std::string_view line) {
    write_all(STDERR_FILENO, printable(line) + "\n");
}

void draw_line(std::string_view line) {
    write_all(STDERR_FILENO, "\r\033[K" + printable(line));
}

void draw_screen(std::string_view text) {
    std::string screen = "\033[H";
    for (const char letter : printable_lines(text)) {
        if (letter == '\n') screen += "\033[K";
        screen += letter;
    }
    write_all(STDOUT_FILENO, screen + "\033[J");
}

void print(std::string_view text, std::string_view kept) {
    errno = 0;
    std::cout << printable_lines(text) << std::flush;
    if (std::cout) return;
    const int reason = errno;
    std::cout.clear();
    if (reason == EPIPE) return;
    throw OutputError(fmt::format("standard output: cannot be written{}{}{}{}", reason == 0 ? "" : ": ",
                                  reason == 0 ? "" : std::strerror(reason), kept.empty() ? "" : "; ", kept));
}

}  // namespace convoy
