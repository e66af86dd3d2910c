#include "cluster/child_output.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace convoy {

namespace asio = boost::asio;

namespace {

constexpr std::string_view own_prefix = "convoy: ";
/// A longer line is shown in pieces.
constexpr std::size_t longest_line = 4096;

}  // namespace

ChildOutput::ChildOutput(const asio::any_io_executor& executor, Descriptor pipe,
                         std::function<void(const std::string&)> show)
    : pipe_(executor), show_(std::move(show)) {
    pipe_.assign(pipe.get());
    [[maybe_unused]] const int owned_by_stream = pipe.release();
    pipe_.non_blocking(true);
}

asio::awaitable<void> ChildOutput::follow(std::shared_ptr<ChildOutput> output) {
    std::array<char, longest_line> piece{};
    while (output->pipe_.is_open()) {
        const auto [problem, count] =
            co_await output->pipe_.async_read_some(asio::buffer(piece), asio::as_tuple(asio::use_awaitable));
        if (problem) break;
        output->take({piece.data(), count});
    }
}

void ChildOutput::finish() {
    std::array<char, longest_line> piece{};
    boost::system::error_code problem;
    while (!problem) {
        const auto count = pipe_.read_some(asio::buffer(piece), problem);
        if (!problem) take({piece.data(), count});
    }
    take_line();
    pipe_.close(problem);
}

void ChildOutput::take(std::string_view bytes) {
    for (const char letter : bytes) {
        if (letter == '\n' || line_.size() == longest_line) take_line();
        if (letter != '\n') line_ += letter;
    }
}

void ChildOutput::take_line() {
    const auto line = std::exchange(line_, {});
    if (line.starts_with(own_prefix)) {
        own_error_ = line.substr(own_prefix.size());
    } else if (!line.empty()) {
        show_(line);
        last_line_ = line;
    }
}

}  // namespace convoy
