#include "joining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "command_line.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

/// The least time for somebody to type a command on another machine.
constexpr double join_deadline_s = 600.0;

std::int64_t nodes_awaited(const options::variables_map& given, const ExperimentSpec& spec) {
    if (!given.contains("await")) return 0;
    const auto& text = given["await"].as<std::string>();
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1)
        throw UsageError(fmt::format("--await: found '{}', expected a number of nodes from 1 up", text));
    if (count > spec.world_size())
        throw UsageError(fmt::format("--await: {} nodes are more than the spec has, which is {}", count,
                                     spec.world_size()));
    return count;
}

}  // namespace

options::options_description joining_options_described() {
    auto described = option_group("nodes on other machines");
    described.add_options()  //
        ("listen", options::value<std::string>()->value_name("ADDRESS[:PORT]"),
         "where nodes join: an address, a name or a CIDR of an interface of this machine, and any free port "
         "without PORT; else 127.0.0.1")  //
        ("await", options::value<std::string>()->value_name("N"),
         "the last N nodes of the spec are not started here; convoy worker --join starts each by hand")  //
        ("token-file", options::value<std::string>()->value_name("FILE"),
         "holds the token that these must know, and only its owner may read it; else $CONVOY_TOKEN, else a "
         "token is made");
    return described;
}

Joining::Joining(const options::variables_map& given, const ExperimentSpec& spec)
    : await_(nodes_awaited(given, spec)) {
    const bool listens = given.contains("listen");
    const bool has_file = given.contains("token-file");
    if (spec.cluster && (listens || await_ > 0))
        throw UsageError(
            fmt::format("--{}: the launcher starts all nodes of a spec that has emulated hosts (cluster)",
                        await_ > 0 ? "await" : "listen"));
    if (listens) {
        naming_option("listen", [&] {
            auto listen = split_listen_address(given["listen"].as<std::string>());
            resolve_interface(listen.address);  // now, and not when the nodes are to start
            interface_ = std::move(listen.address);
            port_ = listen.port;
        });
    }
    const char* environment = std::getenv("CONVOY_TOKEN");
    if (has_file) {
        const auto file = path_given(given, "token-file").value();
        token_ = naming_option("token-file", [&] { return read_token_file(file); });
        token_argument_ = " --token-file " + file.string();
    } else if (await_ > 0 && environment != nullptr && *environment != '\0') {
        token_ = environment;
    } else if (await_ > 0) {
        made_ = std::make_unique<TokenFile>();
        token_ = made_->token();
        token_argument_ = " --token-file " + made_->path().string();
    }
}

void Joining::apply(LaunchOptions& launch) const {
    launch.interface = interface_;
    launch.port = port_;
    if (!token_.empty()) launch.token = token_;
    if (await_ == 0) return;
    launch.local_nodes = launch.spec.world_size() - await_;
    launch.join_deadline_s = std::max(join_deadline_s, launch.spec.deadline_s);
}

std::string Joining::line(const std::string& endpoint) const {
    return fmt::format(
        "waits for {}; type where {}: {}convoy worker --join {}{}",
        await_ == 1 ? "1 node" : fmt::format("{} nodes", await_), await_ == 1 ? "it runs" : "each runs",
        token_argument_.empty() ? "(with the same CONVOY_TOKEN) " : "", endpoint, token_argument_);
}

}  // namespace convoy
