#pragma once

#include <string>
#include <vector>

#include "base/run_program.hpp"

namespace convoy::test {

/// `convoy run` under mpirun, with so many processes. run: its arguments.
ProgramOutcome mpirun(int processes, const std::vector<std::string>& run);

}  // namespace convoy::test
