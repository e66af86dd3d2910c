#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "net/channel.hpp"

namespace convoy {

/// Makes the two ends of a link inside this process, for tests. All ranks live on the executor's one thread,
/// so every run has the same course. Each direction holds at most capacity_bytes bytes that were written and
/// not yet read. The first end calls its peer second_name, and the second end calls its peer first_name.
std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>> make_memory_link(
    const boost::asio::any_io_executor& executor, std::string first_name, std::string second_name,
    std::size_t capacity_bytes = std::size_t{1} << 16U);

}  // namespace convoy
