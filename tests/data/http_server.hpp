#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convoy::test {

/// What a server does with one path.
struct ServedFile {
    std::string content;
    bool ranges = true;  ///< answers "Range: bytes=N-" with 206; otherwise with the whole file
    /// Sends so many bytes of each answer's body, then closes the connection.
    std::optional<std::size_t> cut_after = std::nullopt;
};

/// An HTTP/1.1 server on a loopback port that the system chose, in a thread of its own, for tests of
/// fetching.
class HttpServer {
  public:
    explicit HttpServer(std::map<std::string, ServedFile> files);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    HttpServer(HttpServer&&) = delete;
    HttpServer& operator=(HttpServer&&) = delete;
    ~HttpServer();

    /// The whole address of a path: http://127.0.0.1:PORT/path.
    [[nodiscard]] std::string address(const std::string& path) const;
    /// What was asked for so far: "/path" or "/path from N", in order.
    [[nodiscard]] std::vector<std::string> requests() const;

  private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace convoy::test
