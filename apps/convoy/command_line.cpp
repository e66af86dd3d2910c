#include "command_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/similar_name.hpp"
#include "data/folders.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {
namespace options = boost::program_options;

namespace {

/// The option that a mistyped one probably means.
std::string hint(const std::string& given, const options::options_description& all) {
    std::vector<std::string_view> names;
    for (const auto& option : all.options()) names.emplace_back(option->long_name());
    const auto name = similar_name(given.substr(std::min(given.find_first_not_of('-'), given.size())), names);
    return name ? fmt::format(" (did you mean --{}?)", *name) : "";
}

std::filesystem::path path_of(const std::string& option, const std::string& text) {
    if (text.empty()) throw UsageError(fmt::format("--{}: found nothing, expected a path", option));
    return text;
}

}  // namespace

options::variables_map parse_arguments(const CommandForm& form, std::span<const std::string> words,
                                       const options::options_description& hidden) {
    options::options_description all;
    all.add(form.options).add(hidden).add_options()("help,h", "print this");
    options::positional_options_description positions;
    for (const auto& argument : form.arguments) {
        all.add_options()(argument.name.c_str(), options::value<std::vector<std::string>>());
        positions.add(argument.name.c_str(), argument.count == Argument::Count::many ? -1 : 1);
    }
    options::variables_map given;
    try {
        const std::vector<std::string> copy(words.begin(), words.end());
        options::store(options::command_line_parser(copy).options(all).positional(positions).run(), given);
        if (!given.contains("help")) options::notify(given);
    } catch (const options::unknown_option& error) {
        throw UsageError(fmt::format("convoy {0}: {1}{2}; see convoy {0} --help", form.name, error.what(),
                                     hint(error.get_option_name(), all)));
    } catch (const options::error& error) {
        throw UsageError(fmt::format("convoy {0}: {1}; see convoy {0} --help", form.name, error.what()));
    }
    if (given.contains("help")) return given;
    for (const auto& argument : form.arguments) {
        if (argument.count != Argument::Count::optional && !given.contains(argument.name))
            throw UsageError(
                fmt::format("{0}: no {1} is given; see convoy {0} --help", form.name, argument.name));
    }
    return given;
}

bool print_help(const options::variables_map& given, const CommandForm& form) {
    if (!given.contains("help")) return false;
    std::ostringstream text;
    text << synopsis(form) << '\n' << form.summary << '\n';
    for (const auto& line : form.details) text << line << '\n';
    text << '\n' << form.options;
    print(text.str());
    return true;
}

std::string argument_given(const options::variables_map& given, const std::string& name) {
    return given[name].as<std::vector<std::string>>().front();
}

std::filesystem::path spec_given(const options::variables_map& given) {
    return existing_experiment(argument_given(given, "spec"));
}

std::optional<std::filesystem::path> path_given(const options::variables_map& given,
                                                const std::string& option) {
    if (!given.contains(option)) return std::nullopt;
    return path_of(option, given[option].as<std::string>());
}

std::vector<std::filesystem::path> paths_given(const options::variables_map& given,
                                               const std::string& option) {
    std::vector<std::filesystem::path> paths;
    if (!given.contains(option)) return paths;
    for (const auto& text : given[option].as<std::vector<std::string>>())
        paths.push_back(path_of(option, text));
    return paths;
}

std::optional<std::filesystem::path> new_file_given(const options::variables_map& given,
                                                    const std::string& option) {
    auto file = path_given(given, option);
    if (!file || !file->has_parent_path()) return file;
    std::error_code unknown;  // which the error of the write will tell
    if (std::filesystem::is_directory(file->parent_path(), unknown) || unknown.value() == EACCES) return file;
    throw OutputError(
        fmt::format("--{}: {}: there is no folder {}", option, file->string(), file->parent_path().string()));
}

std::vector<std::string> overrides_given(const options::variables_map& given) {
    if (!given.contains("set")) return {};
    return given["set"].as<std::vector<std::string>>();
}

int threads_given(const options::variables_map& given) {
    const auto threads = given["threads"].as<int>();
    if (threads < 1 || threads > most_threads)
        throw UsageError(fmt::format("--threads: found {}, expected 1 to {}", threads, most_threads));
    return threads;
}

std::optional<std::size_t> terminal_width(int descriptor) {
    if (::isatty(descriptor) != 1) return std::nullopt;
    winsize size{};
    const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

void refuse_word(std::string_view where, const std::string& word, const std::string& words) {
    const auto known = words_of_list(words);
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw UsageError(
        fmt::format("{}: found \"{}\", expected {}{}", where, word, words, did_you_mean(word, views)));
}

}  // namespace convoy
