#include "cluster/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/count_text.hpp"
#include "base/error.hpp"

namespace convoy {

namespace {

constexpr std::int64_t most_processes = 1'000'000;
/// Slurm counts the steps of srun from 0, and gives the batch script and the like numbers from here up.
constexpr std::int64_t first_reserved_step = 0xFFFF'FFF0;
constexpr std::string_view rank_of_mpi = "OMPI_COMM_WORLD_RANK";
constexpr std::string_view way_out =
    "; --starter local starts all nodes here, and --starter mpi, slurm or torchrun takes one of them";

/// Reads numbers from variables.
class Reader {
  public:
    explicit Reader(const Variables& variables) : variables_(variables) {}

    [[nodiscard]] bool has(std::string_view name) const { return variables_.contains(name); }

    [[nodiscard]] std::string text(std::string_view name) const {
        const auto found = variables_.find(name);
        if (found == variables_.end() || found->second.empty())
            throw UsageError(fmt::format("{} is {}, and other variables of its world are set{}", name,
                                         found == variables_.end() ? "missing" : "empty", way_out));
        return found->second;
    }

    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t least, std::int64_t most) const {
        const auto word = text(name);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most)
            throw UsageError(fmt::format("{} is '{}', expected a number from {} to {}{}", name, word, least,
                                         most, way_out));
        return value;
    }

    [[nodiscard]] World::Source source(std::string_view name, std::int64_t least, std::int64_t most) const {
        return {.variable = std::string(name), .value = number(name, least, most)};
    }

  private:
    const Variables& variables_;
};

void require_same(const World::Source& one, const World::Source& other) {
    if (one.value == other.value) return;
    throw DisagreementError(fmt::format("{} is {}, and {} is {}{}", one.variable, one.value, other.variable,
                                        other.value, way_out));
}

/// A text as a part of a file's name.
std::string as_name(std::string text) {
    constexpr std::size_t longest = 100;
    const auto fits = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    };
    std::ranges::replace_if(
        text, [&](char letter) { return !fits(letter); }, '_');
    return text.substr(0, longest);
}

/// The rank and the size of a world.
World world_by(const Reader& read, std::string_view rank, std::string_view size) {
    World world;
    world.size = read.source(size, 1, most_processes);
    world.rank = read.source(rank, 0, world.size.value - 1);
    return world;
}

std::optional<World> mpi_world(const Reader& read) {
    if (!read.has(rank_of_mpi) && !read.has("OMPI_COMM_WORLD_SIZE")) return std::nullopt;
    auto world = world_by(read, rank_of_mpi, "OMPI_COMM_WORLD_SIZE");
    world.processes_here = read.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1, world.size.value);
    if (world.processes_here < world.size.value)
        world.several_hosts =
            fmt::format("OMPI_COMM_WORLD_LOCAL_SIZE is {} of {}", world.processes_here, world.size.value);
    // The names of a job of mpirun in Open MPI's versions.
    const auto* job = read.has("PMIX_NAMESPACE") ? "PMIX_NAMESPACE" : "OMPI_MCA_ess_base_jobid";
    world.name = as_name("mpi-" + read.text(job));
    return world;
}

/// The number of tasks on one host, from a text as "4(x2),3": two hosts of 4 tasks, then one of 3. 1 if the
/// text does not say it.
std::int64_t tasks_of_host(std::string_view text, std::int64_t host) {
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        std::int64_t tasks = 0;
        std::int64_t times = 1;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), tasks);
        if (error != std::errc{} || tasks < 1) return 1;
        if (const auto open = part.find("(x"); open != part.npos)
            std::from_chars(part.data() + open + 2, part.data() + part.size(), times);
        if (host < times) return tasks;
        host -= times;
    }
    return 1;
}

struct SlurmStep {
    World world;
    std::int64_t hosts = 1;
};

/// Absent outside of srun. SLURM_LAUNCH_NODE_IPADDR is not read: the host on which srun was typed may be a
/// login node.
std::optional<SlurmStep> slurm_step(const Reader& read) {
    if (!read.has("SLURM_STEP_ID")) return std::nullopt;
    const auto step = read.number("SLURM_STEP_ID", 0, std::numeric_limits<std::uint32_t>::max());
    if (step >= first_reserved_step) return std::nullopt;
    SlurmStep found{.world = world_by(read, "SLURM_PROCID", "SLURM_NTASKS")};
    auto& world = found.world;
    if (read.has("SLURM_STEP_NUM_TASKS"))
        require_same(world.size, read.source("SLURM_STEP_NUM_TASKS", 1, most_processes));
    const auto* hosts = read.has("SLURM_STEP_NUM_NODES") ? "SLURM_STEP_NUM_NODES" : "SLURM_NNODES";
    found.hosts = read.number(hosts, 1, world.size.value);
    if (found.hosts > 1) {
        world.several_hosts = fmt::format("{} is {}", hosts, found.hosts);
        if (read.has("SLURM_STEP_TASKS_PER_NODE") && read.has("SLURM_NODEID"))
            world.processes_here = tasks_of_host(read.text("SLURM_STEP_TASKS_PER_NODE"),
                                                 read.number("SLURM_NODEID", 0, found.hosts - 1));
    } else {
        world.processes_here = world.size.value;
    }
    if (read.has("SLURM_CPUS_PER_TASK"))
        world.cores = static_cast<int>(read.number("SLURM_CPUS_PER_TASK", 1, most_processes));
    world.name = as_name(fmt::format("slurm-{}-{}", read.text("SLURM_JOB_ID"), step));
    return found;
}

/// MASTER_ADDR and MASTER_PORT, which go together.
void read_master(World& world, const Reader& read) {
    if (!read.has("MASTER_ADDR") && !read.has("MASTER_PORT")) return;
    world.master = read.text("MASTER_ADDR");
    const auto port = read.number("MASTER_PORT", 1, std::numeric_limits<std::uint16_t>::max());
    const bool is_taken =
        read.has("TORCHELASTIC_USE_AGENT_STORE") && read.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
    world.master_port = is_taken ? std::uint16_t{0} : static_cast<std::uint16_t>(port);
}

std::optional<World> torchrun_world(const Reader& read) {
    if (!read.has("RANK") && !read.has("WORLD_SIZE") && !read.has("MASTER_ADDR") && !read.has("MASTER_PORT"))
        return std::nullopt;
    auto world = world_by(read, "RANK", "WORLD_SIZE");
    world.master = read.text("MASTER_ADDR");
    read_master(world, read);
    world.name = fmt::format("torchrun-{}-{}", world.master, read.text("MASTER_PORT"));
    for (const auto* more : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"})
        if (read.has(more)) world.name += "-" + read.text(more);
    world.name = as_name(world.name);
    if (!read.has("LOCAL_WORLD_SIZE")) return world;
    world.processes_here = read.number("LOCAL_WORLD_SIZE", 1, world.size.value);
    if (world.processes_here < world.size.value)
        world.several_hosts =
            fmt::format("LOCAL_WORLD_SIZE is {} of {}", world.processes_here, world.size.value);
    return world;
}

/// mpirun and torchrun in a Slurm job start a daemon on each host by srun, and these the processes.
bool has_only_daemons(const SlurmStep& step, const World& inner) {
    return step.world.size.value == step.hosts && inner.size.value > step.hosts;
}

void require_same_place(const World& one, const World& other) {
    require_same(one.size, other.size);
    require_same(one.rank, other.rank);
}

/// MPICH and Intel MPI tell the size by PMI_SIZE, and not how the processes find each other.
void refuse_other_mpi(const Reader& read) {
    if (!read.has("PMI_SIZE") || read.number("PMI_SIZE", 1, most_processes) == 1) return;
    throw UsageError(
        fmt::format("PMI_SIZE is {}: convoy reads no variables of this MPI; start it by Open MPI or "
                    "srun, or give RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT{}",
                    read.text("PMI_SIZE"), way_out));
}

std::optional<World> find_any(const Reader& read) {
    auto step = slurm_step(read);
    auto world = mpi_world(read);
    if (world && step && !has_only_daemons(*step, *world)) require_same_place(*world, step->world);
    if (!world && step && read.has("RANK") && read.has("WORLD_SIZE") && read.has("LOCAL_WORLD_SIZE")) {
        auto inner = torchrun_world(read);
        if (has_only_daemons(*step, *inner)) return inner;
    }
    if (!world && step) world = std::move(step->world);
    if (!world) {
        world = torchrun_world(read);
        if (!world) refuse_other_mpi(read);
        return world;
    }
    if (read.has("WORLD_SIZE")) require_same(read.source("WORLD_SIZE", 1, most_processes), world->size);
    if (read.has("RANK")) require_same(read.source("RANK", 0, most_processes), world->rank);
    read_master(*world, read);
    return world;
}

World require_found(std::optional<World> found, std::string_view starter, std::string_view variable) {
    if (found) return *std::move(found);
    throw UsageError(
        fmt::format("--starter {0}: {1} is missing, so no {0} started this process", starter, variable));
}

}  // namespace

std::optional<World> find_world(const Variables& variables, Starting starting) {
    const Reader read(variables);
    switch (starting) {
        case Starting::automatic: return find_any(read);
        case Starting::mpi: return require_found(mpi_world(read), "mpi", rank_of_mpi);
        case Starting::torchrun: return require_found(torchrun_world(read), "torchrun", "RANK");
        case Starting::slurm: {
            auto step = slurm_step(read);
            return require_found(step ? std::optional(std::move(step->world)) : std::nullopt, "slurm",
                                 "SLURM_STEP_ID");
        }
        case Starting::local:
        case Starting::ssh: break;
    }
    return std::nullopt;
}

void require_nodes(const World& world, std::int64_t nodes) {
    if (world.size.value == nodes) return;
    throw DisagreementError(fmt::format(
        "{} is {}, and the spec has {}: start a process for each node, or change nodes; --starter "
        "local starts all nodes here",
        world.size.variable, world.size.value, count_text(nodes, "node")));
}

bool is_of_open_mpi(const World& world) {
    return world.rank.variable == rank_of_mpi;
}

int cores_of_process(const World& world, int usable, int of_host) {
    if (world.cores) return std::clamp(*world.cores, 1, std::max(1, usable));
    // A process may be bound to cores that it shares with others, to those of a socket for instance.
    const int share = of_host / static_cast<int>(world.processes_here);
    return std::clamp(share, 1, std::max(1, usable));
}

Variables environment_variables() {
    Variables variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (equals != text.npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

}  // namespace convoy
