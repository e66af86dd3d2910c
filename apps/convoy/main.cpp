#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/handled_error.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "base/waiting_threads.hpp"
#include "calibrate.hpp"
#include "error_json.hpp"
#include "host_guardian_command.hpp"
#include "subcommands.hpp"

namespace convoy {
namespace {

std::string usage_of_subcommands() {
    constexpr std::size_t widest = 28;
    auto text = fmt::format("convoy {}: trains convolutional networks on CPU clusters and measures it\n\n",
                            version());
    for (const auto& form : all_forms()) {
        auto words = synopsis(form);
        words.resize(words.size() - std::string(" [options]").size());
        text += fmt::format("  {:<{}}  {}\n", words, widest, form.summary);
    }
    return text + "\nconvoy SUBCOMMAND --help tells more; convoy --version its version.\n";
}

/// A run needs some descriptors before it knows how many; without them it would fail anywhere.
void require_descriptors() {
    constexpr rlim_t least = 16;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= least) return;
    throw ClusterError(
        fmt::format("at most {} files may be open at a time, convoy needs {} or more; raise it "
                    "with ulimit -n",
                    limit.rlim_cur, least));
}

/// Whether a launcher has started this process, and ends it when it likes. The signals of the terminal are
/// the launcher's affair.
bool belongs_to_launcher(std::span<const std::string> words) {
    return std::ranges::find(words, "--control") != words.end() ||
           std::ranges::find(words, "--stdio") != words.end() ||
           (!words.empty() && words[0] == "host-guardian");
}

/// Whether this process itself computes with threads, and not its nodes only.
bool computes(std::span<const std::string> words) {
    constexpr std::array<std::string_view, 4> computing{"bench", "calibrate-node", "evaluate", "worker"};
    return !words.empty() && std::ranges::find(computing, words[0]) != computing.end();
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) throw UsageError("a subcommand is missing; see convoy --help");
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        print(usage_of_subcommands());
        return 0;
    }
    if (words[0] == "--version" || words[0] == "version") {
        print(fmt::format("convoy {}\nbuilt with {}\n", version_text(), build_options()));
        return 0;
    }
    if (words[0] == "host-guardian") return host_guardian_command(std::span(words).subspan(1));
    if (words[0] == "calibrate-node") return calibrate_node_command(std::span(words).subspan(1));
    return run_subcommand(words);
}

/// Says an error; as JSON too where the command line asks for it.
void tell_error(const Error& error, std::span<const std::string> words) {
    say(error.what());
    if (!wants_json(words)) return;
    try {
        print(json_text(error_json(error), 2) + "\n");
    } catch (const OutputError&) {
        // The line and the exit code are there.
    }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (convoy::computes(words)) convoy::restart_with_setting_of_waiting_threads(argv);
    std::signal(SIGXFSZ, SIG_IGN);  // a file too large for `ulimit -f` is then an error of its write
    convoy::prepare_console();
    convoy::receive_signals();
    convoy::HeldSignals held;
    held.stay();  // an error is said, and what is done stays done, whatever comes then
    std::optional<convoy::EndOnSignal> ends;  // where a phase has nothing better to say
    try {
        if (convoy::belongs_to_launcher(words)) {
            held.let_through();
        } else {
            ends.emplace();
        }
        convoy::require_descriptors();
        return convoy::dispatch(words);
    } catch (...) {
        held.hold();  // also from other threads, whose EndOnSignal hands signals to this one
        const auto error = convoy::handled_error(convoy::ExitCode::missing);
        convoy::tell_error(error, words);
        return static_cast<int>(error.code());
    }
}
