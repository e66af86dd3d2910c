#pragma once

#include <cstdint>
#include <vector>

namespace convoy::test {

/// Two ranks to a host, so that there are neighbours and strangers, members of a hierarchy and leaders.
inline std::vector<std::int64_t> hosts_of(std::size_t ranks) {
    std::vector<std::int64_t> hosts;
    for (std::size_t rank = 0; rank < ranks; ++rank) hosts.push_back(static_cast<std::int64_t>(rank / 2));
    return hosts;
}

}  // namespace convoy::test
