#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "net/fabric.hpp"

namespace convoy {

/// Returns the channel that takes the place of one end of a link. rank is the node that owns this end.
using ChannelDecorator =
    std::function<std::unique_ptr<Channel>(std::int64_t rank, std::unique_ptr<Channel> channel)>;

/// The fabrics of world_size ranks within this process, by rank: each has a link to the ranks that send_to
/// names for it, and from those that name it (make_memory_link). decorate is called for both ends of each
/// link; without it the ends stay as they are.
std::vector<std::unique_ptr<Fabric>> make_memory_fabrics(
    const boost::asio::any_io_executor& executor, std::int64_t world_size,
    const std::function<std::vector<std::int64_t>(std::int64_t rank)>& send_to, FabricOptions options = {},
    std::size_t link_bytes = std::size_t{1} << 16U, const ChannelDecorator& decorate = {});

}  // namespace convoy
