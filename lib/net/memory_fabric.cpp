#include "net/memory_fabric.hpp"

#include <fmt/format.h>

#include "net/memory_channel.hpp"

namespace convoy {

std::vector<std::unique_ptr<Fabric>> make_memory_ring(const boost::asio::any_io_executor& executor,
                                                      std::int64_t world_size, FabricOptions options,
                                                      std::size_t link_bytes) {
    std::vector<std::unique_ptr<Fabric>> fabrics;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        fabrics.push_back(std::make_unique<Fabric>(executor, rank, world_size, options));
    }
    for (std::int64_t rank = 0; rank < world_size && world_size > 1; ++rank) {
        const auto right = (rank + 1) % world_size;
        auto [here, there] = make_memory_link(executor, fmt::format("node {}", rank),
                                              fmt::format("node {}", right), link_bytes);
        fabrics[static_cast<std::size_t>(rank)]->link_to(right, std::move(here));
        fabrics[static_cast<std::size_t>(right)]->link_from(rank, std::move(there));
    }
    return fabrics;
}

}  // namespace convoy
