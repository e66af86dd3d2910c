#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "cluster/world.hpp"

namespace convoy {

/// Adds --starter and --rendezvous.
void add_world_options(boost::program_options::options_description& described);

/// The value of --starter. Throws UsageError.
Starting starter_given(const boost::program_options::variables_map& given);

/// The world that started this process and others (find_world). Absent if the launcher starts the nodes
/// itself. Throws as find_world, and DisagreementError if --await or --hosts contradicts the world.
std::optional<World> world_given(const boost::program_options::variables_map& given);

/// For a command that starts nodes itself: throws UsageError if a starter started it several times.
void require_no_world();

/// The file in which process 0 of a world says how to join: in the folder of --rendezvous, else in the folder
/// of the run's folder.
std::filesystem::path rendezvous_file(const boost::program_options::variables_map& given, const World& world);

/// Whether all processes of a world know address and token, so that they need no such file: MASTER_PORT is
/// free for process 0, and each process has the token.
bool knows_the_way(const World& world, const std::string& token);

/// For a process of a world that is not process 0: joins the launcher, which is process 0, and runs the node
/// of this process's rank to its end. arguments: of `convoy run`, which begins again if OpenMP needs another
/// environment. Returns the exit code. Throws DisagreementError if the spec has not as many nodes as the
/// world has processes, and as await_rendezvous and run_worker.
int run_world_node(const boost::program_options::variables_map& given, const World& world,
                   std::span<const std::string> arguments);

}  // namespace convoy
