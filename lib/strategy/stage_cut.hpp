#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace convoy {

/// An operator that every stage runs.
inline constexpr std::int64_t every_stage = -1;

/// The part of a program that one stage runs.
struct StagePart {
    Program program;
    /// By operator of this part: the position of the whole program's operator that it is, or that it brings
    /// a tensor to.
    std::vector<std::size_t> places;
};

/// stages: of each operator of `whole` the stage that runs it, or every_stage. Where a stage reads a tensor
/// that another one writes, the writer packs it into a message and sends it, and the reader receives it, at
/// the same place in the order of the whole program: so no two stages wait for each other in a circle. Throws
/// DataError for a tensor that has no form to travel in.
StagePart part_of_stage(const Program& whole, std::span<const std::int64_t> stages, std::int64_t stage);

}  // namespace convoy
