#pragma once

#include <cstddef>
#include <vector>

#include "strategy/node_plan_builder.hpp"
#include "strategy/server_exchanges.hpp"

namespace convoy {

/// One slice of one bucket of gradients.
struct PlaceOfSlice {
    std::size_t bucket = 0;  ///< position in Program::buckets
    std::size_t slice = 0;   ///< position in ServerExchanges::slices
    bool operator==(const PlaceOfSlice&) const = default;
};

/// The order in which all slices of a step travel, if slices that the next forward pass needs first go first
/// (P3: Jayarajan et al., "Priority-based Parameter Propagation for Distributed DNN Training", MLSys 2019).
/// Whenever the predicted link is free, the next slice is the one that is needed first among the slices whose
/// gradients are predicted to be there. The prediction takes the speeds of node 0 and the rates of the hosts'
/// links; with an unknown rate a slice takes no time, and slices travel in the order of the backward pass.
/// All ranks find the same order: a link carries its frames in one order only.
std::vector<PlaceOfSlice> order_of_need(const NodePlanBuilder& plan);

}  // namespace convoy
