#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "base/descriptor.hpp"

namespace convoy {

/// The received part of a download: TARGET.part. Another run can continue it. One process at a time may use
/// it, by a lock. On a file system without locks nothing keeps a second process out: the bytes of both may
/// then mix, which the file's hash shows, and the file is fetched again.
class PartFile {
  public:
    /// Says whether to wait on for another process, which has received so many bytes of the file. It is asked
    /// about twice a second.
    using Waiting = std::function<bool(std::uint64_t)>;

    /// Opens or creates TARGET.part. Throws OutputError if this fails, or if another process fetches the same
    /// file and nobody waits for it on.
    explicit PartFile(std::filesystem::path target, const Waiting& waits = {});
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    PartFile(PartFile&&) = delete;
    PartFile& operator=(PartFile&&) = delete;
    /// Keeps the written bytes for the next run. Removes an empty file.
    ~PartFile();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// append, clear and publish throw OutputError with the system's reason.
    void append(std::span<const char> bytes);
    void clear();
    /// Writes the file to disk and gives it its final name.
    void publish();

  private:
    [[nodiscard]] bool open_and_lock(const Waiting& waits);
    void wait_for_lock(const Waiting& waits) const;
    [[nodiscard]] std::uint64_t bytes_written() const;
    [[noreturn]] void fail() const;

    std::filesystem::path target_, path_;
    Descriptor file_;
    std::uint64_t size_ = 0;
    bool published_ = false;
};

}  // namespace convoy
