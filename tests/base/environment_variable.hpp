#pragma once

#include <cstdlib>
#include <string>

namespace convoy::test {

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
