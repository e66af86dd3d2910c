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

namespace {

std::string head(const std::string& status, std::size_t length, const std::string& fields) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n", status, length,
                       fields);
}

std::string part(const std::string& status, const ServedFile& file, std::size_t from, std::string fields) {
    if (!file.etag.empty()) fields += fmt::format("ETag: {}\r\n", file.etag);
    const auto rest = file.content.substr(from);
    return head(status, rest.size(), fields) + rest.substr(0, file.cut_after.value_or(rest.size()));
}

HttpRequest read_request(const http::request<http::empty_body>& request) {
    HttpRequest read{.target = std::string(request.target()),
                     .if_range = std::string(request[http::field::if_range]),
                     .authorization = std::string(request[http::field::authorization]),
                     .host = std::string(request[http::field::host])};
    if (const std::string range(request[http::field::range]); !range.empty())
        read.from = std::stoull(range.substr(6));
    return read;
}

}  // namespace

std::string http_answer(const std::string& status, const std::string& body, const std::string& fields) {
    return head(status, body.size(), fields) + body;
}

std::string file_answer(const ServedFile& file, const HttpRequest& request) {
    const bool is_other = !request.if_range.empty() && request.if_range != file.etag;
    if (!request.from || !file.ranges || is_other) return part("200 OK", file, 0, "");
    const auto from = *request.from;
    const auto size = file.content.size();
    if (from >= size)
        return head("416 Range Not Satisfiable", 0, fmt::format("Content-Range: bytes */{}\r\n", size));
    return part("206 Partial Content", file, from,
                fmt::format("Content-Range: bytes {}-{}/{}\r\n", from, size - 1, size));
}

std::string redirect_answer(const std::string& address, const std::string& status) {
    return http_answer(status, "", fmt::format("Location: {}\r\n", address));
}

class HttpServer::Worker {
  public:
    explicit Worker(Handler handler)
        : handler_(std::move(handler)), acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
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
    [[nodiscard]] HttpRequest last_request() const {
        const std::lock_guard lock(mutex_);
        return last_;
    }

  private:
    void accept() {
        acceptor_.async_accept([this](boost::system::error_code problem, tcp::socket socket) {
            if (problem) return;
            serve(std::move(socket));
            accept();
        });
    }

    void serve(tcp::socket socket) {
        boost::system::error_code problem;
        boost::beast::flat_buffer buffer;
        http::request<http::empty_body> head;
        http::read(socket, buffer, head, problem);
        if (problem) return;
        const auto request = read_request(head);
        {
            const std::lock_guard lock(mutex_);
            last_ = request;
            requests_.push_back(request.from ? fmt::format("{} from {}", request.target, *request.from)
                                             : request.target);
        }
        const auto answer = handler_(request);
        asio::write(socket, asio::buffer(answer.bytes), problem);
        if (answer.stays_open) return open_.push_back(std::move(socket));
        socket.shutdown(tcp::socket::shutdown_both, problem);
    }

    Handler handler_;
    asio::io_context context_;
    tcp::acceptor acceptor_;
    std::vector<tcp::socket> open_;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    HttpRequest last_;
    std::thread thread_;
};

HttpServer::HttpServer(Handler handler) : worker_(std::make_unique<Worker>(std::move(handler))) {}
HttpServer::HttpServer(std::map<std::string, ServedFile> files)
    : HttpServer(Handler([files = std::move(files)](const HttpRequest& request) -> HttpAnswer {
          const auto found = files.find(request.target);
          return {found == files.end() ? http_answer("404 Not Found", "")
                                       : file_answer(found->second, request)};
      })) {}
HttpServer::~HttpServer() = default;

std::string HttpServer::place() const {
    return fmt::format("127.0.0.1:{}", worker_->port());
}

std::string HttpServer::address(const std::string& path) const {
    return "http://" + place() + path;
}

std::vector<std::string> HttpServer::requests() const {
    return worker_->requests();
}

HttpRequest HttpServer::last_request() const {
    return worker_->last_request();
}

}  // namespace convoy::test
