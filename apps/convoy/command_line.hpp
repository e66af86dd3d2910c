#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convoy {

/// The words behind a subcommand, against its options and the names of its positional arguments (the last may
/// repeat where many is set). Adds --help. Throws UsageError that names the subcommand.
boost::program_options::variables_map parse_arguments(
    const std::string& subcommand, std::span<const std::string> words,
    const boost::program_options::options_description& described, const std::vector<std::string>& positional,
    bool many = false);

/// Where --help was given: prints the usage line and the options to stdout and returns true.
bool print_help(const boost::program_options::variables_map& given, const std::string& usage,
                const boost::program_options::options_description& described);

/// The path that an option was given; absent where it was not. Throws UsageError where it is empty, as a
/// variable of a script may be.
std::optional<std::filesystem::path> path_given(const boost::program_options::variables_map& given,
                                                const std::string& option);

/// All that --set was given, in order.
std::vector<std::string> overrides_given(const boost::program_options::variables_map& given);

/// How many characters a line of standard output holds, where it is a terminal; one that does not say has no
/// bound.
std::optional<std::size_t> terminal_width();

/// Writes to stdout. Throws OutputError where it is closed or full.
void print(const std::string& text);

}  // namespace convoy
