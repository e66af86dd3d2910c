#pragma once

#include <memory>
#include <string>

#include "base/temporary_folder.hpp"
#include "starters/daemon.hpp"

namespace convoy::test {

/// An sshd on a free port of loopback that lets this user in, by a key of its own. It ends with the object.
class SshServer {
  public:
    SshServer();
    /// The value of --ssh. port: another one; 0: the server's.
    [[nodiscard]] std::string command(int port = 0) const;

  private:
    TemporaryFolder folder_;
    int port_;
    std::unique_ptr<Daemon> daemon_;
};

}  // namespace convoy::test
