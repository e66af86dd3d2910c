#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/fabric.hpp"

namespace convoy {

/// The fabrics of all ranks of a ring, linked within this process (make_memory_link), by rank.
std::vector<std::unique_ptr<Fabric>> make_memory_ring(const boost::asio::any_io_executor& executor,
                                                      std::int64_t world_size, FabricOptions options = {},
                                                      std::size_t link_bytes = std::size_t{1} << 16U);

}  // namespace convoy
