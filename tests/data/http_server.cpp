#include "data/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <mutex>
#include <thread>

namespace convoy::test {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

class HttpServer::Worker {
  public:
    explicit Worker(std::map<std::string, ServedFile> files)
        : files_(std::move(files)), acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
        accept();
        thread_ = std::thread([this] { context_.run(); });
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    Worker(Worker&&) = delete;
    Worker& operator=(Worker&&) = delete;
    ~Worker() {
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] unsigned port() const { return acceptor_.local_endpoint().port(); }
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

  private:
    void accept() {
        acceptor_.async_accept([this](boost::system::error_code problem, tcp::socket socket) {
            if (problem) return;
            serve(socket);
            accept();
        });
    }

    void serve(tcp::socket& socket) {
        boost::system::error_code problem;
        boost::beast::flat_buffer buffer;
        http::request<http::empty_body> request;
        http::read(socket, buffer, request, problem);
        if (problem) return;
        asio::write(socket, asio::buffer(answer(request)), problem);
        socket.shutdown(tcp::socket::shutdown_both, problem);
    }

    std::string answer(const http::request<http::empty_body>& request) {
        const std::string path(request.target());
        const std::string range(request[http::field::range]);  // "bytes=N-", the only form that is asked for
        const auto from = range.empty() ? 0 : std::stoull(range.substr(6));
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(range.empty() ? path : fmt::format("{} from {}", path, from));
        }
        const auto found = files_.find(path);
        if (found == files_.end()) return head("404 Not Found", 0, "");
        const auto& file = found->second;
        if (range.empty() || !file.ranges) return body("200 OK", file, 0, "");
        const auto size = file.content.size();
        if (from >= size)
            return head("416 Range Not Satisfiable", 0, fmt::format("Content-Range: bytes */{}\r\n", size));
        return body("206 Partial Content", file, from,
                    fmt::format("Content-Range: bytes {}-{}/{}\r\n", from, size - 1, size));
    }

    static std::string head(const std::string& status, std::size_t length, const std::string& fields) {
        return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n", status, length,
                           fields);
    }

    static std::string body(const std::string& status, const ServedFile& file, std::size_t from,
                            const std::string& fields) {
        const auto rest = file.content.substr(from);
        return head(status, rest.size(), fields) + rest.substr(0, file.cut_after.value_or(rest.size()));
    }

    std::map<std::string, ServedFile> files_;
    asio::io_context context_;
    tcp::acceptor acceptor_;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

HttpServer::HttpServer(std::map<std::string, ServedFile> files)
    : worker_(std::make_unique<Worker>(std::move(files))) {}
HttpServer::~HttpServer() = default;

std::string HttpServer::address(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", worker_->port(), path);
}

std::vector<std::string> HttpServer::requests() const {
    return worker_->requests();
}

}  // namespace convoy::test
