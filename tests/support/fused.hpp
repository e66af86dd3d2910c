#pragma once

#include <utility>

#include "graph/fusion.hpp"

namespace convoy::test {

/// The graph with its operators fused, or as it is.
inline Graph fused(Graph graph, bool fusion = true) {
    if (fusion) fuse(graph.operators, graph.tensors);
    return graph;
}

}  // namespace convoy::test
