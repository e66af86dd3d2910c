#pragma once

#include <stdexcept>
#include <string>

namespace convoy {

/// The exit codes of the process. Scripts rely on these numbers.
enum class ExitCode : int {
    done = 0,
    usage = 64,         ///< bad command line, including an output folder that exists
    data = 65,          ///< bad spec, corrupt data, more than fits into memory, or training that diverged
    missing = 66,       ///< a file that does not exist
    unavailable = 69,   ///< the cluster could not form
    bug = 70,           ///< convoy's own fault
    cannot_write = 73,  ///< results could not be written (disk full, no permission)
    node_lost = 74,     ///< a node died or broke its connection
    deadline = 75,      ///< a peer did not answer in time
    disagreement = 76,  ///< nodes disagree on spec, version or shapes; a sweep was not reproduced
    interrupted = 130,  ///< Ctrl-C; the finished part is kept
};

/// The base of all errors that a user can see. Its text is one line that names the field, file or node, and
/// what to do. code() gives the exit code of an error.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// An Error whose exit code is part of its type, so that a catch clause can name what it handles.
template <ExitCode Code>
class ErrorOf : public Error {
  public:
    explicit ErrorOf(const std::string& message) : Error(Code, message) {}
};

using UsageError = ErrorOf<ExitCode::usage>;
using DataError = ErrorOf<ExitCode::data>;
using MissingFileError = ErrorOf<ExitCode::missing>;
using ClusterError = ErrorOf<ExitCode::unavailable>;
using InternalError = ErrorOf<ExitCode::bug>;
using OutputError = ErrorOf<ExitCode::cannot_write>;
using NodeLostError = ErrorOf<ExitCode::node_lost>;
using DeadlineError = ErrorOf<ExitCode::deadline>;
using DisagreementError = ErrorOf<ExitCode::disagreement>;
using InterruptedError = ErrorOf<ExitCode::interrupted>;

}  // namespace convoy
