// How long a run takes by each starter. No test: it prints times, and scripts/reproduce-starts runs it.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "end_to_end/small_experiment.hpp"
#include "starters/mpirun.hpp"
#include "starters/programs.hpp"
#include "starters/slurm_cluster.hpp"
#include "starters/ssh_server.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::size_t rounds = 7;

/// A way to start the four nodes of a spec, whose run has a folder of its own.
struct Way {
    std::string name;
    std::function<ProgramOutcome(const std::vector<std::string>& run)> start;
    std::vector<double> seconds = {};

    void take(const std::string& spec, const std::filesystem::path& out) {
        const auto began = std::chrono::steady_clock::now();
        const auto outcome = start({spec, "--out", out.string()});
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        INFO(name << ": " << outcome.err);
        REQUIRE(outcome.code == 0);
    }
    [[nodiscard]] double median() const {
        auto sorted = seconds;
        std::ranges::sort(sorted);
        return sorted.at(sorted.size() / 2);
    }
};

/// `PROGRAM ... run RUN`, or `PROGRAM ... run RUN MORE`.
ProgramOutcome run_by(std::vector<std::string> words, const std::vector<std::string>& run,
                      const std::vector<std::string>& more = {}) {
    words.insert(words.end(), run.begin(), run.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_words(std::move(words));
}

/// Three nodes join that somebody starts by hand.
ProgramOutcome run_by_hand(std::vector<std::string> run) {
    run.insert(run.begin(), "run");
    run.insert(run.end(), {"--await", "3"});
    ConvoyProcess launcher(run);
    REQUIRE(launcher.wait_for_error_text("convoy worker --join"));
    REQUIRE(launcher.wait_for_error_text("\n"));
    const auto& text = launcher.error_text();
    const auto first = text.find("worker --join");
    std::istringstream line(text.substr(first, text.find('\n', first) - first));
    const std::vector<std::string> command{std::istream_iterator<std::string>(line), {}};
    ConvoyProcess one(command), two(command), three(command);
    auto outcome = launcher.wait();
    return {.code = outcome.code, .out = std::move(outcome.out), .err = std::move(outcome.err)};
}

}  // namespace

TEST_CASE("a run of four nodes takes so long by each starter", "[.][measurement]") {
    const SlurmCluster slurm;
    const SshServer server;
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, spec_of_four());
    std::vector<Way> ways{
        {"local",
         [](const auto& run) {
             return run_by({CONVOY_PROGRAM, "run"}, run);
         }},
        {"by hand", [](const auto& run) { return run_by_hand(run); }},
        {"ssh",
         [&](const auto& run) {
             return run_by({CONVOY_PROGRAM, "run"}, run,
                           {"--ssh", server.command(), "--hosts", "127.0.0.1:4"});
         }},
        {"Slurm",
         [](const auto& run) {
             return run_by(
                 {path_of_program("srun"), "--kill-on-bad-exit=1", "-n", "4", CONVOY_PROGRAM, "run"}, run);
         }},
        {"Open MPI", [](const auto& run) { return mpirun(4, run); }}};
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < ways.size(); ++i)
            ways[i].take(spec, folder / fmt::format("{}-{}", i, round));
    const auto local = ways.front().median();
    for (const auto& way : ways) {
        const auto [least, greatest] = std::ranges::minmax(way.seconds);
        fmt::print("| {} | {:.2f} | {:.2f} to {:.2f} | {:+.2f} |\n", way.name, way.median(), least, greatest,
                   way.median() - local);
    }
}
