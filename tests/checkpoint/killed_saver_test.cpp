// A process that is killed while it saves checkpoints.

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

constexpr std::uint32_t kills = is_sanitized ? 50 : 200;
/// On a busy machine the first kills may all miss the short time in which a file is written.
constexpr std::uint32_t most_kills = 20 * kills;
constexpr std::uint32_t longest_us = 4000;

/// A checkpoint that takes several writes; each step has other bytes.
KeptCheckpoint large_checkpoint(std::int64_t step) {
    auto kept = example_checkpoint(step);
    kept.checkpoint.nodes[0].tensors.assign(std::size_t{1} << 18U, static_cast<std::byte>(step));
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

/// Saves from this step on in another process, and kills it so long after it has begun.
Saved save_and_kill(const fs::path& path, std::int64_t from, std::chrono::microseconds delay) {
    Steps steps;
    const auto saver = ::fork();
    REQUIRE(saver >= 0);
    if (saver == 0) {
        try {
            save_for_ever(path, from, steps);
        } catch (...) {
            ::_exit(1);
        }
    }
    steps.close_to_write();
    Saved saved{.begun = steps.next(), .done = from - 1};
    std::this_thread::sleep_for(delay);
    ::kill(saver, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(saver, &status, 0) == saver);
    REQUIRE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    for (auto step = steps.next(); step != -1; step = steps.next())
        (step == saved.begun ? saved.done : saved.begun) = step;
    return saved;
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
    int unfinished = 0, old = 0;
    for (std::uint32_t kill = 0; kill < kills || (kill < most_kills && (unfinished == 0 || old == 0));
         ++kill) {
        CAPTURE(kill);
        const auto saved =
            save_and_kill(path, last + 1, std::chrono::microseconds(random.below(longest_us, kill, 0)));
        unfinished += has_unfinished(path) ? 1 : 0;
        const CheckpointFolder folder(path, large_checkpoint(0).identity, 1, resume);
        const auto found = folder.newest([](const std::string& line) { FAIL(line); });
        REQUIRE(found);
        last = found->checkpoint.step();
        REQUIRE((last == saved.done || last == saved.begun));
        REQUIRE(found->checkpoint == large_checkpoint(last).checkpoint);
        REQUIRE_FALSE(has_unfinished(path));
        old += last < saved.begun ? 1 : 0;
    }
    // Else no kill has come in the midst of a checkpoint.
    CHECK(unfinished > 0);
    CHECK(old > 0);
}
