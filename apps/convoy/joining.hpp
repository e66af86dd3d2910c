#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "cluster/join_token.hpp"
#include "cluster/launcher.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// How nodes join that the launcher does not start: --listen, --await and --token-file.
class Joining {
  public:
    /// All nodes are started by the launcher.
    Joining() = default;
    /// As the command line says for this spec. Makes a file with a token where nodes are awaited and neither
    /// --token-file nor CONVOY_TOKEN gives one. Throws UsageError where the options do not fit the spec.
    Joining(const boost::program_options::variables_map& given, const ExperimentSpec& spec);

    /// Sets what a launch has to know of it.
    void apply(LaunchOptions& options) const;
    /// The line for the user once the launcher listens at HOST:PORT: the command to type where a node is to
    /// come from. Empty where no node is awaited and no address was given.
    [[nodiscard]] std::string line(const std::string& endpoint) const;

  private:
    std::string interface_ = "127.0.0.1";
    std::uint16_t port_ = 0;
    bool listens_ = false;
    std::int64_t await_ = 0;
    std::string token_;
    std::string token_argument_;  ///< as in " --token-file FILE"
    std::unique_ptr<TokenFile> made_;
};

/// --listen, --await and --token-file, as --help shows them.
boost::program_options::options_description joining_options_described();

}  // namespace convoy
