#include "world_node.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/waiting_threads.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/rendezvous.hpp"
#include "cluster/worker.hpp"
#include "cluster/world_address.hpp"
#include "command_line.hpp"
#include "joining.hpp"
#include "measure/core_list.hpp"
#include "spec/parse.hpp"
#include "worker_command.hpp"

namespace convoy {

namespace fs = std::filesystem;
namespace options = boost::program_options;
using namespace std::chrono_literals;

namespace {

/// The time in which process 0 reads the spec, looks at the data and listens.
constexpr std::chrono::milliseconds patience = 10min;
/// The time in which an endpoint of the rendezvous file must answer, where no other file takes its place.
constexpr std::chrono::milliseconds patience_with_endpoint = 2min;

/// --await and a list of hosts contradict a world.
void require_one_way(const options::variables_map& given, const World& world) {
    for (const auto* option : {"await", "hosts", "host-file"}) {
        if (!given.contains(option)) continue;
        throw DisagreementError(
            fmt::format("--{} is {}, and {} is {}: these are two ways to start nodes; --starter {} leaves "
                        "the latter aside",
                        option, given[option].as<std::string>(), world.size.variable, world.size.value,
                        std::string_view(option) == "await" ? "local" : "ssh"));
    }
}

/// How to join, told by the rendezvous file, or by MASTER_ADDR and the token that all were given.
class Way {
  public:
    Way(const options::variables_map& given, const World& world)
        : file_(rendezvous_file(given, world)),
          token_(token_given(given)),
          deadline_(Clock::now() + patience) {
        if (!knows_the_way(world, token_)) return;
        known_ = Rendezvous{.endpoint = host_port_text(world.master, world.master_port), .token = token_};
    }

    /// The next one to try. Throws ClusterError at the end of the patience.
    Rendezvous next() {
        if (known_) return *known_;
        if (last_ && read_rendezvous(file_) == last_) return *last_;
        last_ =
            await_rendezvous(file_, std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()));
        endpoint_deadline_ = std::min(deadline_, Clock::now() + patience_with_endpoint);
        return *last_;
    }

    /// After a try that nobody answered: false if there is no more time.
    [[nodiscard]] bool may_try_again() const {
        constexpr auto pause = 200ms;
        if (Clock::now() + pause > endpoint_deadline_) return false;
        std::this_thread::sleep_for(pause);
        return true;
    }

  private:
    fs::path file_;
    std::string token_;
    TimePoint deadline_, endpoint_deadline_ = deadline_;
    std::optional<Rendezvous> known_, last_;
};

/// mpirun and srun give a signal of the user to all processes, and the launcher decides when nodes stop.
NodeJob leaving_signals_to_launcher(NodeJob job) {
    return
        [job = std::move(job)](const NodeAssignment& assignment, Network& network, NodeReporter& reporter) {
            for (const int signal : ending_signals) std::signal(signal, SIG_IGN);
            job(assignment, network, reporter);
        };
}

WorkerOptions worker_of(const options::variables_map& given, const World& world) {
    WorkerOptions worker;
    worker.rank = world.rank.value;
    take_tls(given, worker);
    worker.cores = cores_of_process(world, static_cast<int>(usable_cores()),
                                    static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
    if (given.contains("listen")) {
        auto listen =
            naming_option("listen", [&] { return split_listen_address(given["listen"].as<std::string>()); });
        if (is_of_every_host(listen.address)) worker.interface = std::move(listen.address);
    }
    return worker;
}

void restart_if_needed(std::span<const std::string> arguments) {
    std::vector<std::string> words{"convoy", "run"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    restart_with_setting_of_waiting_threads(pointers.data());
}

}  // namespace

void add_world_options(options::options_description& described) {
    described.add_options()  //
        ("starter",
         options::value<std::string>()
             ->value_name("auto|local|mpi|slurm|torchrun|ssh")
             ->default_value("auto"),
         "who starts the nodes: local is this command, on this machine, and ssh is this command, on --hosts; "
         "the others start it once for each node, and auto sees who did by the environment")  //
        ("rendezvous", options::value<std::string>()->value_name("DIR"),
         "a folder that all hosts share, where the first node says how to join; else the folder around "
         "--out");
}

Starting starter_given(const options::variables_map& given) {
    const auto text = given["starter"].as<std::string>();
    const auto* const found =
        std::ranges::find(starting_names, text, &std::pair<std::string_view, Starting>::first);
    if (found == starting_names.end())
        refuse_word("--starter", text, "auto, local, mpi, slurm, torchrun or ssh");
    return found->second;
}

std::optional<World> world_given(const options::variables_map& given) {
    auto world = find_world(environment_variables(), starter_given(given));
    if (world) require_one_way(given, *world);
    return world;
}

void require_no_world() {
    const auto world = find_world(environment_variables(), Starting::automatic);
    if (!world || world->size.value == 1) return;
    throw UsageError(
        fmt::format("{} is {}: only `convoy run` is started once for each node; start this command once, or "
                    "without these variables",
                    world->size.variable, world->size.value));
}

fs::path rendezvous_file(const options::variables_map& given, const World& world) {
    auto folder = path_given(given, "rendezvous");
    if (!folder) {
        const auto out = path_given(given, "out").value_or(fs::path("results") / "run");
        folder = (out.has_filename() ? out : out.parent_path()).parent_path();
    }
    if (folder->empty()) folder = ".";
    return *folder / rendezvous_file_name(world.name);
}

bool knows_the_way(const World& world, const std::string& token) {
    return world.master_port != 0 && !token.empty();
}

int run_world_node(const options::variables_map& given, const World& world,
                   std::span<const std::string> arguments) {
    restart_if_needed(arguments);
    const auto spec = load_spec(spec_given(given), overrides_given(given));
    require_nodes(world, spec.world_size());
    require_own_nodes(spec, world);
    require_mpi_if_used(spec, is_of_open_mpi(world));
    if (given.contains("dry-run")) return 0;
    auto worker = worker_of(given, world);
    Way way(given, world);
    while (true) {
        auto rendezvous = way.next();
        worker.launcher = std::move(rendezvous.endpoint);
        worker.token = std::move(rendezvous.token);
        try {
            return run_worker(worker, leaving_signals_to_launcher(training_job(given)));
        } catch (const UnreachableError&) {
            // Process 0 does not listen yet; or the file is of a run before it in this job.
            if (!way.may_try_again()) throw;
        }
    }
}

}  // namespace convoy
