#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace convoy {

/// Owns a file descriptor and closes it in its destructor. Negative: none.
class Descriptor {
  public:
    Descriptor() noexcept = default;
    explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset(std::exchange(other.descriptor_, -1));
        return *this;
    }
    ~Descriptor() { reset(); }
    void reset(int descriptor = -1) noexcept {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = descriptor;
    }
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    /// Gives the descriptor to the caller, who closes it.
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

  private:
    int descriptor_ = -1;
};

/// The two ends of a pipe. If the pipe could not be made, both are negative and errno has the reason.
struct Pipe {
    Descriptor read_end, write_end;

    /// Both ends are closed on exec.
    static Pipe open() noexcept {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
        return {.read_end = Descriptor(ends[0]), .write_end = Descriptor(ends[1])};
    }
    [[nodiscard]] explicit operator bool() const noexcept { return read_end.get() >= 0; }
};

/// The two ends of a connection within this machine, which a process and its child may share. If it could not
/// be made, both are negative and errno has the reason.
struct SocketPair {
    Descriptor one, other;

    /// Streams of bytes, as of unix(7). Both ends are closed on exec.
    static SocketPair open() noexcept {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
        return {.one = Descriptor(ends[0]), .other = Descriptor(ends[1])};
    }
    [[nodiscard]] explicit operator bool() const noexcept { return one.get() >= 0; }
};

}  // namespace convoy
