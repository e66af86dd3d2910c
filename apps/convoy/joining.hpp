#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cluster/join_token.hpp"
#include "cluster/launcher.hpp"
#include "cluster/rendezvous.hpp"
#include "cluster/world.hpp"
#include "remote_hosts.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// How nodes join that are no processes of the launcher: nodes that are started by hand (--listen, --await
/// and
/// --token-file), the processes of a world, and nodes that ssh starts.
class Joining {
  public:
    /// The launcher starts all nodes.
    Joining() = default;
    /// Takes the options of the command line for this spec. world: the one whose process 0 this is, if it is
    /// of one. If nodes are awaited and neither --token-file nor CONVOY_TOKEN gives a token, it makes a
    /// token, for nodes by hand in a file. Throws UsageError if the options do not fit the spec,
    /// DisagreementError if the world does not, ClusterError if the world finds no address.
    Joining(const boost::program_options::variables_map& given, const ExperimentSpec& spec,
            const std::optional<World>& world);

    /// The number of nodes that the launcher does not start, the last ones of the spec.
    [[nodiscard]] std::int64_t awaited() const { return await_; }

    /// Whether ssh starts all nodes on other hosts.
    [[nodiscard]] bool is_elsewhere() const { return hosts_.has_value(); }
    /// The files of TLS; absent: the run has none.
    [[nodiscard]] const std::optional<TlsFiles>& tls() const { return tls_; }

    /// Throws UsageError if MPI is to sum the gradients of a spec, and cannot do it for these nodes.
    void require_mpi_if_used(const ExperimentSpec& spec) const;

    /// Sets the options of a launch.
    void apply(LaunchOptions& options) const;
    /// The launcher listens at `endpoint` (HOST:PORT): tells the processes of a world, or the user the
    /// command that starts a node on another machine. Throws OutputError if the former cannot be told.
    void announce(const std::string& endpoint) const;

  private:
    void take_world(const boost::program_options::variables_map& given, const ExperimentSpec& spec,
                    const World& world);
    [[nodiscard]] std::string line(const std::string& endpoint) const;

    std::string interface_ = "127.0.0.1";
    std::uint16_t port_ = 0;
    std::int64_t await_ = 0;
    std::string token_;
    std::string token_argument_;  ///< as in " --token-file FILE"
    std::unique_ptr<TokenFile> made_;
    std::optional<int> cores_;  ///< of process 0 of a world
    bool has_world_ = false, is_of_mpi_ = false;
    std::optional<RemoteHosts> hosts_;
    std::optional<TlsFiles> tls_;
    std::unique_ptr<RendezvousFile> rendezvous_;  ///< null: the processes of the world know the way
};

/// Throws UsageError if a spec wants lost nodes to start again, and other processes of a world are nodes.
void require_own_nodes(const ExperimentSpec& spec, const World& world);

/// Throws UsageError if MPI is to sum the gradients of a spec, and this program was built without MPI or the
/// nodes are not the processes of a world of Open MPI.
void require_mpi_if_used(const ExperimentSpec& spec, bool is_of_mpi);

/// The token of --token-file, else of CONVOY_TOKEN; empty if neither gives one.
std::string token_given(const boost::program_options::variables_map& given);

/// The options of TLS, for --help.
void add_tls_options(boost::program_options::options_description& described);
/// The files of --tls-certificate, --tls-key and --tls-ca, as whole paths, if these or --tls are given;
/// absent: no TLS. Throws UsageError if one of the first two is missing, and as TlsContext.
std::optional<TlsFiles> tls_given(const boost::program_options::variables_map& given);

/// The options of nodes that the launcher does not start, for --help.
boost::program_options::options_description joining_options_described();

}  // namespace convoy
