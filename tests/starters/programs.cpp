#include "starters/programs.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <stdexcept>

#include "base/sha256.hpp"
#include "end_to_end/small_experiment.hpp"

namespace convoy::test {

nlohmann::json spec_of_four() {
    auto spec = small_spec();
    spec["nodes"] = nodes(4);
    spec["max_steps"] = 6;
    return spec;
}

std::string path_of_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        auto file = folder + "/" + name;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    throw std::runtime_error(name + " is not installed; scripts/setup does it");
}

ProgramOutcome run_words(std::vector<std::string> words) {
    return run_program(words, "", patience);
}

void check_same_weights(const std::filesystem::path& one, const std::filesystem::path& other) {
    CHECK(sha256_of_file(one / "weights.safetensors") == sha256_of_file(other / "weights.safetensors"));
}

}  // namespace convoy::test
