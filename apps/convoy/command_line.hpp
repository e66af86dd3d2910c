#pragma once

#include <unistd.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command_form.hpp"

namespace convoy {

/// Parses the words behind a subcommand by its form; --help is added. hidden: options that users do not need.
/// Throws a UsageError that names the subcommand.
boost::program_options::variables_map parse_arguments(
    const CommandForm& form, std::span<const std::string> words,
    const boost::program_options::options_description& hidden = {});

/// If --help was given: prints the form's lines and options to stdout, and returns true.
bool print_help(const boost::program_options::variables_map& given, const CommandForm& form);

/// An argument that is there, or the first one of many.
std::string argument_given(const boost::program_options::variables_map& given, const std::string& name);

/// Throws a UsageError that names the word, the words that there are, and the one that it may mean. where:
/// the option or the command. words: as in "npy or hdf5" (words_of_list).
[[noreturn]] void refuse_word(std::string_view where, const std::string& word, const std::string& words);

/// The file of the spec that an argument names. Throws as existing_experiment.
std::filesystem::path spec_given(const boost::program_options::variables_map& given);

/// The path of an option; absent if the option was not given. Throws UsageError if the path is empty, as an
/// unset variable of a script is.
std::optional<std::filesystem::path> path_given(const boost::program_options::variables_map& given,
                                                const std::string& option);

/// The paths of an option that may be given several times. Throws UsageError if one is empty.
std::vector<std::filesystem::path> paths_given(const boost::program_options::variables_map& given,
                                               const std::string& option);

/// As path_given, for a file that is written after long work. Throws OutputError if its folder is missing.
std::optional<std::filesystem::path> new_file_given(const boost::program_options::variables_map& given,
                                                    const std::string& option);

/// The result of read(). An Error that it throws gets "--OPTION: " in front.
template <typename Read>
auto naming_option(const std::string& option, const Read& read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.code(), "--" + option + ": " + error.what());
    }
}

/// All values of --set, in order.
std::vector<std::string> overrides_given(const boost::program_options::variables_map& given);

/// The value of --threads. Throws UsageError if it is not 1 to most_threads, as in a spec.
int threads_given(const boost::program_options::variables_map& given);

/// The number of characters in a line of a terminal, by default of standard output. Absent if the descriptor
/// is no terminal; very many if the terminal gives no width.
std::optional<std::size_t> terminal_width(int descriptor = STDOUT_FILENO);

}  // namespace convoy
