#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <vector>

#include "net/channel.hpp"
#include "net/control_frames.hpp"

namespace convoy {

/// Sends the notice of a failure on all these channels at the same time, and returns when each of them has it
/// or cannot take it. No other write on them may be under way. They must outlive the call. executor: theirs.
boost::asio::awaitable<void> tell_failure(boost::asio::any_io_executor executor,
                                          std::vector<Channel*> channels, FailureNotice notice);

}  // namespace convoy
