#include "starters/daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "end_to_end/convoy_process.hpp"

namespace convoy::test {

Daemon::Daemon(std::vector<std::string> words, const std::filesystem::path& log) : log_(log) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::setsid();
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // where a time limit ends the test
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        const int in = ::open("/dev/null", O_RDONLY);
        if (::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
            ::dup2(out, STDERR_FILENO) >= 0)
            ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    if (pid_ < 0) throw std::runtime_error("no process");
}

Daemon::~Daemon() {
    ::kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) ::kill(pid_, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void Daemon::wait_until(const std::function<bool()>& is_ready) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!is_ready()) {
        siginfo_t ended{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid != 0 || std::chrono::steady_clock::now() > deadline) {
            std::ostringstream text;
            text << std::ifstream(log_).rdbuf();
            throw std::runtime_error("a daemon is not ready: " + text.str());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

bool is_listening(int port) {
    using boost::asio::ip::tcp;
    boost::asio::io_context io;
    tcp::socket socket(io);
    boost::system::error_code problem;
    socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, problem);
    return !problem;
}

}  // namespace convoy::test
