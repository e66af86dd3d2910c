#pragma once

#include <map>
#include <string>

#include "data/http_server.hpp"

namespace convoy::test {

/// A namenode and a datanode of Hadoop's file system, as far as WebHDFS's OPEN goes (page WebHDFS of Hadoop's
/// documentation): the namenode sends the client to the datanode, which sends the bytes from the offset on.
/// Both refuse other operations, and the namenode users other than "lab".
class WebHdfsServers {
  public:
    /// files: by their paths; their field cut_after counts.
    explicit WebHdfsServers(std::map<std::string, ServedFile> files);

    /// webhdfs://HOST:PORT/path of the namenode, for the user lab.
    [[nodiscard]] std::string address(const std::string& path) const {
        return "webhdfs://" + namenode.place() + path + "?user.name=lab";
    }

  private:
    std::map<std::string, ServedFile> files_;

  public:
    HttpServer datanode, namenode;
};

}  // namespace convoy::test
