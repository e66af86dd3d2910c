#pragma once

#include <cstddef>
#include <functional>
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
    std::string etag = {};  ///< with quotes; a request's If-Range with another one gets the whole file
};

/// What tests look at in a request.
struct HttpRequest {
    std::string target;                    ///< path and query
    std::optional<std::size_t> from = {};  ///< of "Range: bytes=N-", the only form that is asked for
    std::string if_range = {}, authorization = {}, host = {};
};

/// The bytes of an answer, after which the server closes the connection.
struct HttpAnswer {
    std::string bytes;
    bool stays_open = false;  ///< the connection stays open, and silent, as long as the server lives
};

/// An answer with a Content-Length and these lines of its header, each with its end.
std::string http_answer(const std::string& status, const std::string& body, const std::string& fields = {});

/// An answer that has a file, or the part of it for which a request asks.
std::string file_answer(const ServedFile& file, const HttpRequest& request);

/// An answer that sends the client elsewhere.
std::string redirect_answer(const std::string& address, const std::string& status = "307 Temporary Redirect");

/// An HTTP/1.1 server on a loopback port that the system chose, in a thread of its own, for tests of
/// fetching.
class HttpServer {
  public:
    /// Answers one request after the other, in the thread of the server.
    using Handler = std::function<HttpAnswer(const HttpRequest&)>;

    explicit HttpServer(Handler handler);
    /// Serves these files by their paths, and has no other.
    explicit HttpServer(std::map<std::string, ServedFile> files);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    HttpServer(HttpServer&&) = delete;
    HttpServer& operator=(HttpServer&&) = delete;
    ~HttpServer();

    /// HOST:PORT.
    [[nodiscard]] std::string place() const;
    /// The whole address of a path: http://127.0.0.1:PORT/path.
    [[nodiscard]] std::string address(const std::string& path) const;
    /// What was asked for so far: "/path" or "/path from N", in order.
    [[nodiscard]] std::vector<std::string> requests() const;
    /// The last request. There must have been one.
    [[nodiscard]] HttpRequest last_request() const;

  private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace convoy::test
