#pragma once

#include <string>

namespace convoy {

/// Runs gnuplot, one process for each picture.
class Gnuplot {
  public:
    /// program: a name, which is looked up in PATH, or a path.
    explicit Gnuplot(std::string program = "gnuplot") : program_(std::move(program)) {}

    /// Runs a script and returns the picture that gnuplot writes to its standard output. Throws
    /// MissingFileError if gnuplot is not installed, OutputError with gnuplot's message if it could not draw.
    [[nodiscard]] std::string draw(const std::string& script) const;

  private:
    std::string program_;
};

}  // namespace convoy
