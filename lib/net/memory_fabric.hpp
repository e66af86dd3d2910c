#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "net/fabric.hpp"

namespace convoy {

/// Replaces one end of a link by another channel. rank: the node that owns this end.
using ChannelDecorator =
    std::function<std::unique_ptr<Channel>(std::int64_t rank, std::unique_ptr<Channel> channel)>;

/// Makes the fabrics of world_size ranks inside this process, by rank. Each fabric has a link to the ranks of
/// send_to(rank), and from the ranks that have it in their list (make_memory_link). decorate: called for both
/// ends of each link; may be empty.
std::vector<std::unique_ptr<Fabric>> make_memory_fabrics(
    const boost::asio::any_io_executor& executor, std::int64_t world_size,
    const std::function<std::vector<std::int64_t>(std::int64_t rank)>& send_to,
    const FabricOptions& options = {}, std::size_t link_bytes = std::size_t{1} << 16U,
    const ChannelDecorator& decorate = {});

}  // namespace convoy
