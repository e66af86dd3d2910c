#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The result of a program.
struct ProgramOutcome {
    int code = 0;          ///< its exit code, or minus the number of the signal that ended it
    bool in_time = true;   ///< false: it was killed at its deadline, or because of a signal
    std::string out, err;  ///< its standard output and its standard error
};

/// Runs a program to its end, without a shell, and kills it at the deadline. (For a process that lives beside
/// its owner, see hosts/child_process.hpp.) command: the program's name, which is looked up in PATH, or its
/// path; then its arguments. input: the bytes on its standard input. The program inherits only the three
/// standard files, and signals as SpawnAttributes says. If a signal comes that ends this process, the program
/// is killed first. Throws MissingFileError if the program does not exist, OutputError if the system has no
/// resources for it.
ProgramOutcome run_program(const std::vector<std::string>& command, std::string_view input,
                           std::chrono::milliseconds deadline);

}  // namespace convoy
