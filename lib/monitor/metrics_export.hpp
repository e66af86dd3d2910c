#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace convoy {

/// Where metrics go.
struct MetricsPlaces {
    /// Answers GET /metrics over HTTP there; port 0: any free port. Absent: nobody can ask.
    std::optional<boost::asio::ip::tcp::endpoint> listen = {};
    /// Is replaced as a whole every few seconds, for node_exporter's textfile collector. Empty: no file.
    std::filesystem::path file = {};
};

/// Gives a text of metrics to whoever asks for it, and writes it into a file, on a thread of its own. This
/// thread takes no signals. Each connection has one request, of bounded size and in bounded time; so many
/// connections are open at once, and others are closed.
class MetricsExport {
  public:
    /// text: is called from the thread. Writes the file for the first time. Throws ClusterError if it cannot
    /// listen there, OutputError if the file cannot be written.
    MetricsExport(MetricsPlaces places, std::function<std::string()> text);
    MetricsExport(const MetricsExport&) = delete;
    MetricsExport& operator=(const MetricsExport&) = delete;
    MetricsExport(MetricsExport&&) = delete;
    MetricsExport& operator=(MetricsExport&&) = delete;
    /// Writes the file for the last time, and closes all connections.
    ~MetricsExport();

    /// Where it listens.
    [[nodiscard]] const std::optional<boost::asio::ip::tcp::endpoint>& endpoint() const { return endpoint_; }
    /// Why the file could not be written the last time; absent if it could.
    [[nodiscard]] std::optional<std::string> problem() const;

  private:
    class Work;
    std::unique_ptr<Work> work_;
    std::optional<boost::asio::ip::tcp::endpoint> endpoint_;
};

}  // namespace convoy
