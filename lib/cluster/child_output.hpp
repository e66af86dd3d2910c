#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace convoy {

/// The lines that a child process writes on its standard error. A line that begins with "convoy: " is the
/// error of the child itself. It is kept and not shown, since its parent tells one error for all. Other lines
/// are shown.
class ChildOutput {
  public:
    /// pipe: the end for reading. show: called for each line to show, which may hold any bytes but line
    /// feeds.
    ChildOutput(const boost::asio::any_io_executor& executor, Descriptor pipe,
                std::function<void(const std::string& line)> show);

    /// Reads until the pipe ends, or until finish().
    static boost::asio::awaitable<void> follow(std::shared_ptr<ChildOutput> output);
    /// Reads the rest that is there, after the child has ended.
    void finish();
    /// The last error of the child itself, without "convoy: ". Empty if it told none.
    [[nodiscard]] const std::string& own_error() const { return own_error_; }
    /// The last line that was shown; empty if there was none.
    [[nodiscard]] const std::string& last_line() const { return last_line_; }

  private:
    void take(std::string_view bytes);
    void take_line();

    boost::asio::posix::stream_descriptor pipe_;
    std::function<void(const std::string&)> show_;
    std::string line_;  ///< the beginning of a line
    std::string own_error_, last_line_;
};

}  // namespace convoy
