#pragma once

#include <boost/program_options.hpp>
#include <map>
#include <string>
#include <vector>

namespace convoy {

/// A word of a command line that is no option.
struct Argument {
    enum class Count { one, optional, many };
    std::string name;                      ///< under which it is found when the line is parsed: spec
    std::string shown;                     ///< as help shows it: SPEC
    std::vector<std::string> values = {};  ///< the words that it may be; empty: a path
    Count count = Count::one;
};

/// The form of a subcommand. The command line is parsed by it; help, completion and man pages are made of it.
struct CommandForm {
    std::string name;                       ///< the words behind `convoy`: run, bench operators
    std::vector<Argument> arguments = {};   ///< in order; only the last one may be optional or many
    std::string summary = {};               ///< one line without a full stop
    std::vector<std::string> details = {};  ///< further lines for help
    boost::program_options::options_description options = {};
    /// The values of an option, by its name, if there are only a few.
    std::map<std::string, std::vector<std::string>> values = {};
};

/// The kind of an option's value.
enum class ValueKind {
    none,    ///< the option has no value
    words,   ///< one of a few words
    file,    ///< the path of a file
    folder,  ///< the path of a folder
    other,   ///< a number, for instance
};

/// An option of a form, as text.
struct OptionRow {
    std::string name;                     ///< without dashes
    std::string value = {};               ///< FILE, DIR, N; empty: the option has no value
    std::string standard = {};            ///< its value if it is not given; empty: there is none
    std::string meaning = {};             ///< one line
    ValueKind kind = ValueKind::none;     ///< by `value`, which begins with FILE or DIR if it is a path
    std::vector<std::string> words = {};  ///< of the kind `words`
    bool repeats = false;                 ///< it may be given several times
};

/// All options of a form, in order, and --help behind them.
std::vector<OptionRow> option_rows(const CommandForm& form);

/// A form's first line of help: "convoy run SPEC [options]".
std::string synopsis(const CommandForm& form);

/// An empty group of options that prints itself as wide as the terminal: 40 to 120 characters, 80 without
/// a terminal.
boost::program_options::options_description option_group(const std::string& title = "options");

/// Adds --set FIELD=VALUE. of: whose fields, as in "the spec".
void add_set_option(boost::program_options::options_description& described, const std::string& of);
/// Adds --data DIR.
void add_data_option(boost::program_options::options_description& described);

/// The words of a list for people: "a, b or c" and "a, b, c" have a, b and c.
std::vector<std::string> words_of_list(const std::string& list);

}  // namespace convoy
