#include "base/lack_of_memory.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

#include "base/resource_limit.hpp"

namespace convoy {

std::optional<std::string> lack_of_memory(const std::exception& error) {
    const bool failed = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    if (failed && (resource_limit(RLIMIT_AS) || resource_limit(RLIMIT_DATA))) {
        return "there is no memory left for this; make the batch or the layers smaller, use more hosts, or "
               "raise the limit of this process (see ulimit -a)";
    }
    if (failed || dynamic_cast<const std::length_error*>(&error) != nullptr)
        return "there is no memory left for this; make the batch or the layers smaller, or use more hosts";
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system == nullptr) return std::nullopt;
    if (system->code() != std::errc::not_enough_memory &&
        system->code() != std::errc::resource_unavailable_try_again)
        return std::nullopt;
    return "the system gives this process no more memory or threads (see ulimit -a)";
}

}  // namespace convoy
