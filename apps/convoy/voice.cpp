#include "voice.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"

namespace convoy {

void Voice::tell(std::string_view line) const {
    if (!is_quiet()) say(line);
}

void Voice::warn(std::string_view line) const {
    if (!is_quiet()) say(fmt::format("warning: {}", line));
}

void Voice::detail(std::string_view line) const {
    if (is_verbose()) say(fmt::format("[{:8.3f} s] {}", Seconds(Clock::now() - begin_).count(), line));
}

void add_voice_options(boost::program_options::options_description& described) {
    described.add_options()                                                           //
        ("quiet", "print errors, and the results or their folder, and nothing else")  //
        ("verbose", "tell each step of the work, with its time");
}

Voice voice_given(const boost::program_options::variables_map& given) {
    const bool quiet = given.contains("quiet");
    const bool verbose = given.contains("verbose");
    if (quiet && verbose) throw UsageError("--quiet: goes without --verbose");
    if (quiet) return Voice(Verbosity::quiet);
    return Voice(verbose ? Verbosity::verbose : Verbosity::normal);
}

Telling telling_given(const boost::program_options::variables_map& given) {
    return {.voice = voice_given(given), .json = given.contains("json")};
}

}  // namespace convoy
