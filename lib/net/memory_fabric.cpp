#include "net/memory_fabric.hpp"

#include <fmt/format.h>

#include "net/memory_channel.hpp"

namespace convoy {

std::vector<std::unique_ptr<Fabric>> make_memory_fabrics(
    const boost::asio::any_io_executor& executor, std::int64_t world_size,
    const std::function<std::vector<std::int64_t>(std::int64_t rank)>& send_to, const FabricOptions& options,
    std::size_t link_bytes, const ChannelDecorator& decorate) {
    std::vector<std::unique_ptr<Fabric>> fabrics;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        fabrics.push_back(std::make_unique<Fabric>(executor, rank, world_size, options));
    }
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        for (const auto peer : send_to(rank)) {
            auto [here, there] = make_memory_link(executor, fmt::format("node {}", rank),
                                                  fmt::format("node {}", peer), link_bytes);
            if (decorate) {
                here = decorate(rank, std::move(here));
                there = decorate(peer, std::move(there));
            }
            fabrics.at(static_cast<std::size_t>(rank))->link_to(peer, std::move(here));
            fabrics.at(static_cast<std::size_t>(peer))->link_from(rank, std::move(there));
        }
    }
    return fabrics;
}

}  // namespace convoy
