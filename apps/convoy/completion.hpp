#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Scripts that let a shell complete the words of convoy's command lines: subcommands, options, and values,
/// which are one of a few words, files or folders. They hold all words, and do not start convoy.
std::string bash_completion(std::span<const CommandForm> forms);
std::string zsh_completion(std::span<const CommandForm> forms);
std::string fish_completion(std::span<const CommandForm> forms);

}  // namespace convoy
