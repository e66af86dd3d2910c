#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convoy {

/// The ways to start the nodes of a run.
enum class Starting : std::uint8_t {
    automatic,  ///< the world of the environment if there is one, else local
    local,      ///< the launcher starts all nodes as processes of its machine
    mpi,        ///< Open MPI started a process for each node
    slurm,      ///< srun started a process for each node
    torchrun,   ///< RANK and WORLD_SIZE say that somebody started a process for each node
    ssh,        ///< the launcher starts nodes on a list of hosts
};

/// The values of --starter.
inline constexpr std::array<std::pair<std::string_view, Starting>, 6> starting_names{
    {{"auto", Starting::automatic},
     {"local", Starting::local},
     {"mpi", Starting::mpi},
     {"slurm", Starting::slurm},
     {"torchrun", Starting::torchrun},
     {"ssh", Starting::ssh}}};

/// Variables of an environment, by name.
using Variables = std::map<std::string, std::string, std::less<>>;

/// The processes that one command of a cluster's own launcher (mpirun, srun, torchrun) started, one for each
/// node of a run, and the place of one of them.
struct World {
    /// A variable of the environment and its value, for errors.
    struct Source {
        std::string variable;
        std::int64_t value = 0;
    };
    Source rank;  ///< from 0; the rank of the process in the run
    Source size;  ///< the number of processes
    /// A name that all processes of this world find, and those of no other: letters, digits, '_', '-', '.'.
    std::string name;
    std::int64_t processes_here = 1;  ///< processes of the world on this host; 1 if it is not known
    std::optional<int> cores;         ///< of this process (SLURM_CPUS_PER_TASK)
    /// As in "SLURM_STEP_NUM_NODES is 2", if the processes are known to be on several hosts; else empty.
    std::string several_hosts;
    std::string master;             ///< MASTER_ADDR: where process 0 is; may be empty
    std::uint16_t master_port = 0;  ///< MASTER_PORT; 0: none, or torchrun's own agent listens there
};

/// Finds the world of an environment. automatic: Open MPI's variables, else those of a Slurm step, else RANK
/// and its companions; absent if there are none of them, as in a batch script of Slurm outside of srun. Two
/// of them must agree, unless the Slurm step started only the daemons of the other launcher, one on each
/// host. A source that is named must be there, and the others are not read; of local and ssh it is absent.
///
/// Throws DisagreementError, which has both variables with their values, if two sources differ. Throws
/// UsageError if variables of a world are there but not all of them, or not as expected: there is no
/// fallback.
std::optional<World> find_world(const Variables& variables, Starting starting);

/// Throws DisagreementError if the world has not one process for each of the nodes.
void require_nodes(const World& world, std::int64_t nodes);

/// Whether Open MPI started the processes of a world, so that they can call MPI_Init.
bool is_of_open_mpi(const World& world);

/// The cores for the nodes of one process. usable: the cores that this process may use; of_host: those of its
/// host. A process that is bound to some cores of the host has these; else the processes of the host share.
int cores_of_process(const World& world, int usable, int of_host);

/// The variables of this process.
Variables environment_variables();

}  // namespace convoy
