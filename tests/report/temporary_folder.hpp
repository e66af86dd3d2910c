#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace convoy {

/// A folder of its own for one test; it goes away with all that is in it.
class TemporaryTestFolder {
  public:
    TemporaryTestFolder() {
        auto name = (std::filesystem::temp_directory_path() / "convoy-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    TemporaryTestFolder(const TemporaryTestFolder&) = delete;
    TemporaryTestFolder& operator=(const TemporaryTestFolder&) = delete;
    TemporaryTestFolder(TemporaryTestFolder&&) = delete;
    TemporaryTestFolder& operator=(TemporaryTestFolder&&) = delete;
    ~TemporaryTestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace convoy
