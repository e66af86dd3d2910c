#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace convoy {

/// The part of a download that is there so far: TARGET.part, which another run can go on with. One process
/// holds it at a time.
class PartFile {
  public:
    /// Opens or creates it. Throws OutputError where that fails or another process fetches the same file.
    explicit PartFile(std::filesystem::path target);
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    PartFile(PartFile&&) = delete;
    PartFile& operator=(PartFile&&) = delete;
    /// Leaves what was written for the next run; removes it where that is nothing.
    ~PartFile();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Throws OutputError with the system's reason, as do the others.
    void append(std::span<const char> bytes);
    void clear();
    /// Gives it its final name, whole and on disk.
    void publish();

  private:
    [[nodiscard]] bool open_and_lock();
    [[noreturn]] void fail() const;

    std::filesystem::path target_, path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    bool published_ = false;
};

}  // namespace convoy
