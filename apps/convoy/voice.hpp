#pragma once

#include <boost/program_options.hpp>
#include <string_view>

#include "base/clock.hpp"

namespace convoy {

/// How much a command tells of its work on standard error. Errors are always told.
enum class Verbosity {
    quiet,   ///< nothing else; standard output has the results only, or their place
    normal,  ///< also progress and warnings
    verbose  ///< also each step of the work, with its time
};

/// Tells the user about the work of a command, on standard error.
class Voice {
  public:
    explicit Voice(Verbosity verbosity = Verbosity::normal) : verbosity_(verbosity) {}

    /// A line about the work, unless the command is quiet.
    void tell(std::string_view line) const;
    /// A line with "warning: " in front, unless the command is quiet.
    void warn(std::string_view line) const;
    /// If the command is verbose: a line with the seconds since this voice was made.
    void detail(std::string_view line) const;

    [[nodiscard]] bool is_quiet() const { return verbosity_ == Verbosity::quiet; }
    [[nodiscard]] bool is_verbose() const { return verbosity_ == Verbosity::verbose; }

  private:
    Verbosity verbosity_;
    TimePoint begin_ = Clock::now();
};

/// Adds --quiet and --verbose.
void add_voice_options(boost::program_options::options_description& described);

/// The voice that these options ask for. Throws UsageError if both are given.
Voice voice_given(const boost::program_options::variables_map& given);

/// How a command tells its work and its results.
struct Telling {
    Voice voice;
    bool json = false;  ///< results as JSON
};

/// By --quiet, --verbose and --json. Throws as voice_given.
Telling telling_given(const boost::program_options::variables_map& given);

}  // namespace convoy
