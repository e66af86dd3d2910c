#include "base/resource_limit.hpp"

namespace convoy {

std::optional<std::uint64_t> resource_limit(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return limit.rlim_cur;
}

}  // namespace convoy
