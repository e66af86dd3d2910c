#include "starters/ssh_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "starters/free_port.hpp"
#include "starters/programs.hpp"

namespace convoy::test {

namespace fs = std::filesystem;

SshServer::SshServer() : port_(free_port()) {
    for (const auto* name : {"host", "user"}) {
        const auto made = run_words({path_of_program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f",
                                     (folder_ / name).string()});
        REQUIRE(made.code == 0);
    }
    fs::copy_file(folder_ / "user.pub", folder_ / "authorized");
    // sshd of root wants an empty folder there, which Debian makes when it boots.
    if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);
    // SHLVL: bash takes itself for a shell within a shell, and reads no start-up file of the user who tests.
    std::ofstream(folder_ / "config")
        << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << (folder_ / "host").string()
        << "\nAuthorizedKeysFile " << (folder_ / "authorized").string()
        << "\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
           "UsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\n"
           "MaxStartups 100\nPidFile none\nSetEnv SHLVL=2\n";
    daemon_ = std::make_unique<Daemon>(
        std::vector<std::string>{path_of_program("sshd"), "-D", "-e", "-f", (folder_ / "config").string()},
        folder_ / "log");
    daemon_->wait_until([this] { return is_listening(port_); });
}

std::string SshServer::command(int port) const {
    std::ostringstream words;
    words << "ssh -F none -p " << (port > 0 ? port : port_) << " -i " << (folder_ / "user").string()
          << " -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile="
          << (folder_ / "known").string();
    return words.str();
}

}  // namespace convoy::test
