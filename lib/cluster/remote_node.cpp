#include "cluster/remote_node.hpp"

#include <fmt/format.h>

namespace convoy {

std::string RemoteNode::label() const {
    if (info.pid == 0) return fmt::format("node {}", info.rank);
    if (process) return fmt::format("node {} (pid {})", info.rank, info.pid);
    return fmt::format("node {} (pid {} on {})", info.rank, info.pid, info.host);
}

std::string RemoteNode::position() const {
    if (!channel) return " before it joined";
    if (finished) return " after its last step";
    if (!progress) return " before its first step";
    if (progress->phase == "train")
        return fmt::format(" in epoch {}, step {}", progress->epoch, progress->step);
    return fmt::format(" in epoch {}, phase {}", progress->epoch, progress->phase);
}

}  // namespace convoy
