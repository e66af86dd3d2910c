#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace convoy::test {

/// A new empty folder that is removed with all that is in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "convoy-data-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    TemporaryFolder(TemporaryFolder&&) = delete;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder() {
        std::error_code problem;
        std::filesystem::remove_all(path_, problem);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a file in the folder, with the folders above it.
    std::filesystem::path write(const std::string& name, std::string_view content) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

  private:
    std::filesystem::path path_;
};

/// Sets an environment variable (or unsets it, with nullptr) and puts back what was there.
class EnvironmentVariable {
  public:
    EnvironmentVariable(std::string name, const char* value) : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str())) before_ = before, was_set_ = true;
        value != nullptr ? ::setenv(name_.c_str(), value, 1) : ::unsetenv(name_.c_str());
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
    EnvironmentVariable(EnvironmentVariable&&) = delete;
    EnvironmentVariable& operator=(EnvironmentVariable&&) = delete;
    ~EnvironmentVariable() {
        was_set_ ? ::setenv(name_.c_str(), before_.c_str(), 1) : ::unsetenv(name_.c_str());
    }

  private:
    std::string name_, before_;
    bool was_set_ = false;
};

}  // namespace convoy::test
