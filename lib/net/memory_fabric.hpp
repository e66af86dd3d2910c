#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "net/fabric.hpp"

namespace convoy {

/// The fabrics of world_size ranks within this process, by rank: each has a link to the ranks that send_to
/// names for it, and from those that name it (make_memory_link).
std::vector<std::unique_ptr<Fabric>> make_memory_fabrics(
    const boost::asio::any_io_executor& executor, std::int64_t world_size,
    const std::function<std::vector<std::int64_t>(std::int64_t rank)>& send_to, FabricOptions options = {},
    std::size_t link_bytes = std::size_t{1} << 16U);

}  // namespace convoy
