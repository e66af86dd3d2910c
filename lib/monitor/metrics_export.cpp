#include "monitor/metrics_export.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/output_file.hpp"

namespace convoy {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr auto file_interval = std::chrono::seconds(5);
/// A request and its answer take no longer.
constexpr auto longest_exchange = std::chrono::seconds(10);
constexpr std::size_t most_connections = 32;
constexpr std::uint32_t most_head_bytes = 8192;
constexpr std::uint64_t most_body_bytes = 1024;
constexpr std::string_view path_of_metrics = "/metrics";

using Answer = http::response<http::string_body>;

Answer plain_answer(http::status status, std::string text) {
    Answer answer(status, 11);
    answer.set(http::field::content_type, "text/plain; charset=utf-8");
    answer.body() = std::move(text);
    return answer;
}

/// The path of a request's target, without a query.
std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

Answer answer_to(const http::request<http::string_body>& request, const std::function<std::string()>& text) {
    const std::string_view target(request.target().data(), request.target().size());
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
        auto answer = plain_answer(http::status::method_not_allowed, "only GET and HEAD\n");
        answer.set(http::field::allow, "GET, HEAD");
        return answer;
    }
    if (path_of(target) != path_of_metrics)
        return plain_answer(http::status::not_found, fmt::format("metrics are at {}\n", path_of_metrics));
    try {
        auto answer = plain_answer(http::status::ok, text());
        answer.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
        return answer;
    } catch (const std::exception& error) {  // the run goes on
        return plain_answer(http::status::internal_server_error, fmt::format("{}\n", error.what()));
    }
}

/// One connection. It lives while an operation on it is under way.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    /// open: of all connections; it is counted while this object lives.
    Connection(tcp::socket socket, std::function<std::string()> text, std::size_t& open)
        : stream_(std::move(socket)), text_(std::move(text)), open_(open) {
        ++open_;
        parser_.header_limit(most_head_bytes);
        parser_.body_limit(most_body_bytes);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    Connection(Connection&&) = delete;
    Connection& operator=(Connection&&) = delete;
    ~Connection() { --open_; }

    void begin() {
        stream_.expires_after(longest_exchange);
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](beast::error_code problem, std::size_t /*bytes*/) {
                             if (!problem) self->answer();
                         });
    }

  private:
    void answer() {
        const auto& request = parser_.get();
        answer_ = answer_to(request, text_);
        answer_.keep_alive(false);
        answer_.prepare_payload();
        if (request.method() == http::verb::head) answer_.body().clear();  // with the length of the text
        stream_.expires_after(longest_exchange);
        http::async_write(stream_, answer_,
                          [self = shared_from_this()](beast::error_code /*problem*/, std::size_t /*bytes*/) {
                              beast::error_code ignored;
                              self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                          });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{most_head_bytes + most_body_bytes};
    http::request_parser<http::string_body> parser_;
    Answer answer_;
    std::function<std::string()> text_;
    std::size_t& open_;
};

}  // namespace

class MetricsExport::Work {
  public:
    Work(MetricsPlaces places, std::function<std::string()> text)
        : places_(std::move(places)), text_(std::move(text)), acceptor_(io_), timer_(io_) {
        if (!places_.file.empty()) replace_file(places_.file, text_());
        if (places_.listen) listen(*places_.listen);
        if (!places_.file.empty()) wait_to_write();
        begin_thread();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    Work(Work&&) = delete;
    Work& operator=(Work&&) = delete;
    ~Work() {
        io_.stop();
        thread_.join();
        if (!places_.file.empty()) write();
    }

    [[nodiscard]] tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
    [[nodiscard]] std::optional<std::string> problem() const {
        const std::scoped_lock lock(mutex_);
        return problem_;
    }

  private:
    void listen(const tcp::endpoint& place) {
        try {
            acceptor_.open(place.protocol());
            acceptor_.set_option(tcp::acceptor::reuse_address(true));
            acceptor_.bind(place);
            acceptor_.listen();
        } catch (const boost::system::system_error& error) {
            throw ClusterError(fmt::format("cannot listen at port {} of {}: {}", place.port(),
                                           place.address().to_string(), error.code().message()));
        }
        accept();
    }
    void accept() {
        acceptor_.async_accept([this](beast::error_code problem, tcp::socket socket) {
            if (!problem && open_ < most_connections)
                std::make_shared<Connection>(std::move(socket), text_, open_)->begin();
            if (problem) return wait_to_accept();
            accept();
        });
    }
    /// Behind an error, as of too many open files, which would come again at once.
    void wait_to_accept() {
        pause_.expires_after(std::chrono::seconds(1));
        pause_.async_wait([this](beast::error_code cancelled) {
            if (!cancelled) accept();
        });
    }
    void wait_to_write() {
        timer_.expires_after(file_interval);
        timer_.async_wait([this](beast::error_code cancelled) {
            if (cancelled) return;
            write();
            wait_to_write();
        });
    }
    void write() {
        std::optional<std::string> problem;
        try {
            replace_file(places_.file, text_());
        } catch (const std::exception& error) {  // the run goes on
            problem = error.what();
        }
        const std::scoped_lock lock(mutex_);
        problem_ = std::move(problem);
    }
    void begin_thread() {
        sigset_t all{};
        sigset_t before{};
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { io_.run(); });
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    MetricsPlaces places_;
    std::function<std::string()> text_;
    std::size_t open_ = 0;  ///< connections; they are gone before it, with io_
    mutable std::mutex mutex_;
    std::optional<std::string> problem_;  ///< guarded by mutex_
    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    asio::steady_timer timer_, pause_{io_};
    std::thread thread_;
};

MetricsExport::MetricsExport(MetricsPlaces places, std::function<std::string()> text)
    : work_(std::make_unique<Work>(places, std::move(text))) {
    if (places.listen) endpoint_ = work_->endpoint();
}

MetricsExport::~MetricsExport() = default;

std::optional<std::string> MetricsExport::problem() const {
    return work_->problem();
}

}  // namespace convoy
