#pragma once

#include <string_view>

#include "program/program.hpp"

namespace convoy {

/// The kind of a program as a word: "train".
std::string_view kind_name(ProgramKind kind);

}  // namespace convoy
