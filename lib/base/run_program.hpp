#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// What a program left.
struct ProgramOutcome {
    int code = 0;          ///< its exit code, or minus the signal that ended it
    bool in_time = true;   ///< false: it was killed at its deadline
    std::string out, err;  ///< what it wrote until then
};

/// For a program that does a piece of work and ends; cluster's ChildProcess is one that lives beside its
/// owner. Runs it to its end, without a shell, and kills it where it takes longer than the deadline. command:
/// its name, which is looked up in PATH, or its path; then its arguments. input is what it reads. It inherits
/// the signals that this thread blocks, and no file but its standard three. Throws MissingFileError where it
/// is not there, OutputError where the system has no room for it.
ProgramOutcome run_program(const std::vector<std::string>& command, std::string_view input,
                           std::chrono::milliseconds deadline);

}  // namespace convoy
