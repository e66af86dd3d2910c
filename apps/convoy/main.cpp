#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/handled_error.hpp"
#include "base/similar_name.hpp"
#include "base/version.hpp"
#include "bench.hpp"
#include "calibrate.hpp"
#include "command_line.hpp"
#include "compare.hpp"
#include "dataset_command.hpp"
#include "evaluate.hpp"
#include "host_guardian_command.hpp"
#include "paper.hpp"
#include "plan_command.hpp"
#include "recover.hpp"
#include "report.hpp"
#include "reproduce.hpp"
#include "run.hpp"
#include "sweep.hpp"
#include "watch.hpp"
#include "worker_command.hpp"

namespace convoy {
namespace {

struct Subcommand {
    std::string_view name;
    std::string_view summary;
    int (*run)(std::span<const std::string>);
};

constexpr std::array<Subcommand, 14> subcommands{{
    {"run", "SPEC      trains the network of a spec and writes a run folder", run_command},
    {"sweep", "SWEEP   runs all experiments of a grid; it can continue an ended sweep", sweep_command},
    {"watch", "RUN     follows a run from another terminal", watch_command},
    {"recover", "DIR   makes a run folder of the OUT.partial that an ended run left", recover_command},
    {"report", "RUN... prints tables of finished runs", report_command},
    {"compare", "RUN_A RUN_B  two runs side by side, with the ratios A/B", compare_command},
    {"paper", "SWEEP --out FOLDER  figures, tables, methods and an archive of a sweep", paper_command},
    {"reproduce", "ARCHIVE  runs the sweep of an archive again, and says where it differs",
     reproduce_command},
    {"evaluate", "RUN  a run's weights on its test set: accuracy per class, confusion, predictions",
     evaluate_command},
    {"plan", "SPEC     layers, programs and bytes per step, without running", plan_command},
    {"dataset", "list|fetch|verify", dataset_command},
    {"calibrate", "SPEC measures a spec's nodes and links, for its field calibration", calibrate_command},
    {"bench", "allreduce|operators  measures the all-reduce, or a network's operators, apart", bench_command},
    {"worker", "       one more node of a run, by hand: --join HOST:PORT --token-file FILE", worker_command},
}};

std::string usage_of_subcommands() {
    std::string text = fmt::format(
        "convoy {}: trains convolutional networks on CPU clusters and measures it\n\n", version());
    for (const auto& subcommand : subcommands)
        text += fmt::format("  convoy {} {}\n", subcommand.name, subcommand.summary);
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
           (!words.empty() && words[0] == "host-guardian");
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
    for (const auto& subcommand : subcommands) {
        if (subcommand.name == words[0]) return subcommand.run(std::span(words).subspan(1));
    }
    std::vector<std::string_view> names;
    for (const auto& subcommand : subcommands) names.push_back(subcommand.name);
    throw UsageError(fmt::format("\"{}\" is not a subcommand{}; see convoy --help", words[0],
                                 did_you_mean(words[0], names)));
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file too large for `ulimit -f` is then an error of its write
    convoy::prepare_console();
    convoy::receive_signals();
    convoy::HeldSignals held;
    held.stay();  // an error is said, and what is done stays done, whatever comes then
    std::optional<convoy::EndOnSignal> ends;  // where a phase has nothing better to say
    try {
        const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
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
        convoy::say(error.what());
        return static_cast<int>(error.code());
    }
}
