#include "cluster/member.hpp"

#include <fmt/format.h>

namespace convoy {

bool Member::is_here() const {
    return connection || process == ProcessState::starting || process == ProcessState::running;
}

std::string Member::label() const {
    if (info.pid == 0)
        return info.host.empty() ? fmt::format("node {}", info.rank)
                                 : fmt::format("node {} (on {})", info.rank, info.host);
    if (!seat.by_hand && !seat.remote) return fmt::format("node {} (pid {})", info.rank, info.pid);
    return fmt::format("node {} (pid {} on {})", info.rank, info.pid, info.host);
}

std::string Member::occupation() const {
    if (!progress) return "";
    const bool fetches = progress->phase == phase::fetch;
    if (!fetches && progress->phase != phase::read) return fmt::format(" in phase {}", progress->phase);
    const auto* const doing = fetches ? " while it fetches" : " while it reads";
    return progress->file.empty() ? doing : fmt::format("{} {}", doing, progress->file);
}

std::string Member::position() const {
    if (!joined) return " before it joined";
    if (finished) return " after its last step";
    if (!progress) return " before its first step";
    if (progress->epoch == 0) return fmt::format(" in phase {}, before its first step", progress->phase);
    if (progress->phase == phase::train)
        return fmt::format(" in epoch {}, step {}", progress->epoch, progress->step);
    return fmt::format(" in epoch {}, phase {}", progress->epoch, progress->phase);
}

}  // namespace convoy
