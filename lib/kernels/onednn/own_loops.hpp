#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/onednn/planner.hpp"

/// What convolutions in own loops share: winograd.hpp and direct_convolution.hpp.
namespace convoy::onednn {

/// Whether own loops may compute a convolution: in float32, on a processor with AVX2 and without AVX-512, for
/// which oneDNN has better loops.
bool own_loops_suit(const Planner& planner);

/// Plans the operator as one recipe with a scratchpad of so many floats. make(addresses, scratchpad) gives
/// the action.
template <typename Make>
void add_own_loops(Planner& planner, const Operator& op, std::int64_t scratch_floats,
                   std::vector<StorageId> uses, const Make& make) {
    const auto floats = static_cast<std::size_t>(scratch_floats);
    planner.add({.operator_name = std::string(operator_name(op.kind)),
                 .name = op.name,
                 .uses = std::move(uses),
                 .scratch_bytes = floats * sizeof(float),
                 .make = [=](const Addresses& at) -> Action {
                     return make(at, std::span(reinterpret_cast<float*>(at.scratch()), floats));
                 }});
}

}  // namespace convoy::onednn
