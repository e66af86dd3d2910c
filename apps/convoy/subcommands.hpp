#pragma once

#include <span>
#include <string>
#include <vector>

#include "command_form.hpp"

namespace convoy {

/// A subcommand for users. run gets the words behind the subcommand's name; it returns the exit code of the
/// process, or throws Error.
struct Subcommand {
    CommandForm (*form)();
    int (*run)(std::span<const std::string> words);
};

/// All subcommands, in the order of help.
std::span<const Subcommand> subcommands();

/// The forms of all subcommands, in the same order.
std::vector<CommandForm> all_forms();

/// Runs the subcommand that the words begin with. Throws UsageError if there is none, and as the subcommand.
int run_subcommand(std::span<const std::string> words);

}  // namespace convoy
