#pragma once

#include <string>

#include "paper/settled_sweep.hpp"

namespace convoy {

/// The text at a path of keys in a JSON object; empty if there is none.
std::string text_in(const nlohmann::json& object, const char* pointer);

/// The script in an archive that runs its sweep again: `reproduce.sh` of the unpacked archive.
std::string reproduce_script(const SettledSweep& sweep);

}  // namespace convoy
