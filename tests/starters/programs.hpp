#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/environment_variable.hpp"
#include "base/run_program.hpp"
#include "base/temporary_folder.hpp"

namespace convoy::test {

/// Variables of this process's environment, and so of what it starts, while the object lives.
class Environment {
  public:
    explicit Environment(const std::vector<std::pair<std::string, std::string>>& variables) {
        for (const auto& [name, value] : variables)
            set_.push_back(std::make_unique<EnvironmentVariable>(name, value.c_str()));
    }

  private:
    std::vector<std::unique_ptr<EnvironmentVariable>> set_;
};

/// An experiment of four nodes that takes a second.
nlohmann::json spec_of_four();

/// The path of a program; those of administrators are found too. Throws std::runtime_error if it is missing.
std::string path_of_program(const std::string& name);

/// Runs a program to its end, within the patience of tests.
ProgramOutcome run_words(std::vector<std::string> words);

/// Checks that two runs have the same weights to the bit.
void check_same_weights(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace convoy::test
