#include "exchange/links.hpp"

#include "exchange/algorithms.hpp"

namespace convoy {

Links all_reduce_links(std::int64_t rank, const HostMap& hosts,
                       std::span<const AllReduceAlgorithm> algorithms, std::int64_t connections) {
    const auto partners = partners_of(rank, hosts, algorithms);
    return {.send_to = partners, .receive_from = partners, .connections = connections};
}

}  // namespace convoy
