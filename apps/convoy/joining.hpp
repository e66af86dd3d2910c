#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "cluster/join_token.hpp"
#include "cluster/launcher.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The options for nodes that are started by hand: --listen, --await and --token-file.
class Joining {
  public:
    /// The launcher starts all nodes.
    Joining() = default;
    /// Takes the options of the command line for this spec. If nodes are awaited and neither --token-file nor
    /// CONVOY_TOKEN gives a token, it makes a file with a token. Throws UsageError if the options do not fit
    /// the spec.
    Joining(const boost::program_options::variables_map& given, const ExperimentSpec& spec);

    /// The number of nodes that are started by hand, the last ones of the spec.
    [[nodiscard]] std::int64_t awaited() const { return await_; }

    /// Sets the options of a launch.
    void apply(LaunchOptions& options) const;
    /// The line for the user when the launcher listens at `endpoint` (HOST:PORT): the command that starts a
    /// node on another machine.
    [[nodiscard]] std::string line(const std::string& endpoint) const;

  private:
    std::string interface_ = "127.0.0.1";
    std::uint16_t port_ = 0;
    std::int64_t await_ = 0;
    std::string token_;
    std::string token_argument_;  ///< as in " --token-file FILE"
    std::unique_ptr<TokenFile> made_;
};

/// The options --listen, --await and --token-file, for --help.
boost::program_options::options_description joining_options_described();

}  // namespace convoy
