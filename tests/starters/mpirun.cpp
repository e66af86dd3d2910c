#include "starters/mpirun.hpp"

#include "starters/programs.hpp"

namespace convoy::test {

ProgramOutcome mpirun(int processes, const std::vector<std::string>& run) {
    std::vector<std::string> words{path_of_program("mpirun"),
                                   "--allow-run-as-root",
                                   "--oversubscribe",
                                   "-np",
                                   std::to_string(processes),
                                   CONVOY_PROGRAM,
                                   "run"};
    words.insert(words.end(), run.begin(), run.end());
    return run_words(words);
}

}  // namespace convoy::test
