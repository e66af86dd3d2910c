#pragma once

#include <string>

namespace convoy {

/// Runs gnuplot, a process per picture.
class Gnuplot {
  public:
    /// program: its name, which is looked up in PATH, or its path.
    explicit Gnuplot(std::string program = "gnuplot") : program_(std::move(program)) {}

    /// What gnuplot writes to its standard output for a script: a picture. Throws MissingFileError where
    /// gnuplot is not installed, OutputError with its own words where it could not draw.
    [[nodiscard]] std::string draw(const std::string& script) const;

  private:
    std::string program_;
};

}  // namespace convoy
