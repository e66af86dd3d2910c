// A process that is killed while it saves checkpoints.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <thread>

#include "base/files.hpp"
#include "base/random.hpp"
#include "base/temporary_folder.hpp"
#include "checkpoint/checkpoint_folder.hpp"
#include "checkpoint/example.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
namespace fs = std::filesystem;
using enum CheckpointFolder::Open;

namespace {

/// Kills by the clock, and as many by the byte.
constexpr std::uint32_t kills = is_sanitized ? 50 : 200;
constexpr std::uint32_t longest_us = 4000;
constexpr std::uint32_t tensor_bytes = 1U << 18U;

/// A checkpoint that is large; each step has other bytes.
KeptCheckpoint large_checkpoint(std::int64_t step) {
    auto kept = example_checkpoint(step);
    kept.checkpoint.nodes[0].tensors.assign(tensor_bytes, static_cast<std::byte>(step));
    return kept;
}

/// A pipe through which the saver tells each step twice: before it saves the step, and behind that.
struct Steps {
    std::array<int, 2> ends{-1, -1};
    Steps() { REQUIRE(::pipe(ends.data()) == 0); }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    Steps(Steps&&) = delete;
    Steps& operator=(Steps&&) = delete;
    ~Steps() {
        for (const int end : ends)
            if (end >= 0) ::close(end);
    }
    void tell(std::int64_t step) const {
        if (::write(ends[1], &step, sizeof step) != sizeof step) ::_exit(1);
    }
    void close_to_write() {
        ::close(ends[1]);
        ends[1] = -1;
    }
    /// The next step that was told, or -1 behind the last one.
    [[nodiscard]] std::int64_t next() const {
        std::int64_t step = -1;
        return ::read(ends[0], &step, sizeof step) == sizeof step ? step : -1;
    }
};

/// Saves one checkpoint after another, until the process is killed.
[[noreturn]] void save_for_ever(const fs::path& path, std::int64_t step, const Steps& steps) {
    const CheckpointFolder folder(path, large_checkpoint(0).identity, 1, resume);
    for (;; ++step) {
        const auto checkpoint = large_checkpoint(step).checkpoint;
        steps.tell(step);
        folder.keep(checkpoint);
        steps.tell(step);
    }
}

struct Saved {
    std::int64_t begun = 0;  ///< the last step that the saver began to save
    std::int64_t done = 0;   ///< the last step that it had saved
};

/// From here on, the system kills this process as soon as it writes more than this into one file.
void die_at_byte(rlim_t byte) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit at_byte{.rlim_cur = byte, .rlim_max = byte}, no_core{};
    if (::setrlimit(RLIMIT_FSIZE, &at_byte) != 0 || ::setrlimit(RLIMIT_CORE, &no_core) != 0) ::_exit(1);
}

/// Saves from this step on in another process, until that is dead. killer: is called with the id of the saver
/// once that has begun a step, and kills it, or does nothing if the saver dies at at_byte. at_byte: the byte
/// of a file at which the saver dies, 0 for none.
template <typename Killer>
Saved save_until_dead(const fs::path& path, std::int64_t from, rlim_t at_byte, const Killer& killer) {
    Steps steps;
    const auto saver = ::fork();
    REQUIRE(saver >= 0);
    if (saver == 0) {
        try {
            if (at_byte > 0) die_at_byte(at_byte);
            save_for_ever(path, from, steps);
        } catch (...) {
            ::_exit(1);
        }
    }
    steps.close_to_write();
    Saved saved{.begun = steps.next(), .done = from - 1};
    killer(saver);
    int status = 0;
    REQUIRE(::waitpid(saver, &status, 0) == saver);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == (at_byte > 0 ? SIGXFSZ : SIGKILL));
    for (auto step = steps.next(); step != -1; step = steps.next())
        (step == saved.begun ? saved.done : saved.begun) = step;
    return saved;
}

/// Kills the saver so long after it has begun: the checkpoint may be begun, half written or whole.
Saved save_and_kill(const fs::path& path, std::int64_t from, std::chrono::microseconds delay) {
    return save_until_dead(path, from, 0, [delay](pid_t saver) {
        std::this_thread::sleep_for(delay);
        ::kill(saver, SIGKILL);
    });
}

/// The saver dies at this byte of the first checkpoint, so always in the midst of it.
Saved save_and_die(const fs::path& path, std::int64_t from, rlim_t at_byte) {
    return save_until_dead(path, from, at_byte, [](pid_t) {});
}

bool has_unfinished(const fs::path& path) {
    for (const auto& name : names_in(path))
        if (target_of_temporary(name)) return true;
    return false;
}

}  // namespace

TEST_CASE("whenever a process is killed while it saves, the old checkpoint or the new one is there, whole") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    const RandomStream random(1, RandomPurpose::order);
    std::int64_t last = 1;
    CheckpointFolder(path, large_checkpoint(0).identity, 1, fresh).keep(large_checkpoint(last).checkpoint);
    for (std::uint32_t kill = 0; kill < 2 * kills; ++kill) {
        CAPTURE(kill);
        // On a busy machine a kill by the clock may never come in the midst of a file; one by the byte does.
        const bool by_byte = kill % 2 == 1;
        const auto saved =
            by_byte
                ? save_and_die(path, last + 1, 1 + random.below(tensor_bytes, kill, 0))
                : save_and_kill(path, last + 1, std::chrono::microseconds(random.below(longest_us, kill, 0)));
        if (by_byte) {
            REQUIRE(has_unfinished(path));
            REQUIRE(saved.begun == last + 1);
            REQUIRE(saved.done == last);
        }
        const CheckpointFolder folder(path, large_checkpoint(0).identity, 1, resume);
        const auto found = folder.newest([](const std::string& line) { FAIL(line); });
        REQUIRE(found);
        const auto newest = found->checkpoint.step();
        REQUIRE((newest == saved.done || (newest == saved.begun && !by_byte)));
        REQUIRE(found->checkpoint == large_checkpoint(newest).checkpoint);
        REQUIRE_FALSE(has_unfinished(path));
        last = newest;
    }
}
