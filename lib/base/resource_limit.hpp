#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>

namespace convoy {

/// The soft limit of this process (getrlimit(2)). Absent if there is none. resource: RLIMIT_AS, for instance.
std::optional<std::uint64_t> resource_limit(decltype(RLIMIT_AS) resource);

}  // namespace convoy
