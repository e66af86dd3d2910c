#include "base/lack_of_memory.hpp"

#include <sys/resource.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace convoy {
namespace {

bool is_limited(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

std::optional<std::string> lack_of_memory(const std::exception& error) {
    if (dynamic_cast<const std::length_error*>(&error) != nullptr)
        return "there is no memory left for this; make the batch or the layers smaller, or use more hosts";
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        // One string for each case: little memory may be left for it.
        return is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)
                   ? "there is no memory left for this; make the batch or the layers smaller, use more "
                     "hosts, or "
                     "raise the limit of this process (see ulimit -a)"
                   : "there is no memory left for this; make the batch or the layers smaller, or use more "
                     "hosts";
    }
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system == nullptr) return std::nullopt;
    if (system->code() != std::errc::not_enough_memory &&
        system->code() != std::errc::resource_unavailable_try_again)
        return std::nullopt;
    return "the system gives this process no more memory or threads (see ulimit -a)";
}

}  // namespace convoy
