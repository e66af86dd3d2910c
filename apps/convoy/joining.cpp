#include "joining.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/world_address.hpp"
#include "collective/mpi_all_reduce.hpp"
#include "command_line.hpp"
#include "measure/core_list.hpp"
#include "net/interface.hpp"
#include "world_node.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

/// The least time for somebody to type a command on another machine.
constexpr double join_deadline_s = 600.0;
/// The least time for the processes of a world, which begin together; file servers show a file late.
constexpr double world_deadline_s = 120.0;

std::int64_t nodes_awaited(const options::variables_map& given, const ExperimentSpec& spec) {
    if (!given.contains("await")) return 0;
    const auto& text = given["await"].as<std::string>();
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1)
        throw UsageError(fmt::format("--await: found \"{}\", expected a number of nodes from 1 up", text));
    if (count > spec.world_size())
        throw UsageError(fmt::format("--await: {} nodes are more than the spec has, which is {}", count,
                                     spec.world_size()));
    return count;
}

/// Throws UsageError if the policy of lost nodes is `shrink`. others: the nodes that are elsewhere, or that
/// somebody else starts. instead: another policy for these, besides abort.
void refuse_to_shrink(const ExperimentSpec& spec, const std::string& others, std::string_view instead) {
    if (spec.failures.policy != FailurePolicy::shrink) return;
    throw UsageError(fmt::format(
        "$.failures.policy: \"shrink\" is for nodes that convoy starts on this machine, and not for {}; "
        "take \"abort\"{}",
        others, instead));
}

/// Throws UsageError if the launcher is to do random faults to nodes whose processes it does not have.
/// others: these nodes.
void refuse_random_faults(const ExperimentSpec& spec, std::string_view others) {
    if (!spec.faults.random) return;
    throw UsageError(
        fmt::format("$.faults: random faults are for nodes that convoy starts on this machine, and not for "
                    "{}; take a list of faults at steps, which nodes do to themselves",
                    others));
}

/// Throws UsageError if a node from rank `first` up is to suffer a fault of this kind. instead: the kinds
/// that it may suffer, and why not this one.
void refuse_fault(const ExperimentSpec& spec, FaultKind kind, std::int64_t first,
                  const std::string& instead) {
    const auto& faults = spec.faults.at_steps;
    const auto found = std::ranges::find_if(faults, [&](const FaultSpec& fault) {
        return fault.kind == kind && fault.node >= first && fault.node < spec.world_size();
    });
    if (found == faults.end()) return;
    throw UsageError(fmt::format("$.faults[{}].kind: found \"{}\", expected {}", found - faults.begin(),
                                 fault_name(kind), instead));
}

/// Throws UsageError if a fault is a signal that the nodes of a world ignore.
void refuse_term(const ExperimentSpec& spec, const World& world) {
    refuse_fault(spec, FaultKind::term, 0,
                 fmt::format("another kind where a world ({}) starts the nodes: they ignore SIGTERM",
                             world.size.variable));
}

/// Throws UsageError if a fault leaves a process behind that nobody ends. others: the nodes from rank `first`
/// up, whose processes convoy does not have.
void refuse_hang(const ExperimentSpec& spec, const std::string& others, std::int64_t first) {
    refuse_fault(spec, FaultKind::hang, first,
                 fmt::format("another kind, \"partition\" for instance: convoy cannot end a stopped process "
                             "among {}",
                             others));
}

/// Throws UsageError if lost nodes are to start again, or the others are to go on without them. others: the
/// nodes that somebody else starts.
void require_own_nodes(const ExperimentSpec& spec, const std::string& others) {
    refuse_to_shrink(spec, others, "");
    if (spec.failures.policy != FailurePolicy::restart) return;
    throw UsageError(fmt::format(
        "$.failures.policy: \"restart\" starts all nodes again, and convoy does not start {}; take \"abort\" "
        "and run the command again with --resume, or let convoy start the nodes: on this machine, or by "
        "--hosts",
        others));
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
    add_tls_options(described);
    add_world_options(described);
    add_remote_options(described);
    return described;
}

void require_own_nodes(const ExperimentSpec& spec, const World& world) {
    refuse_term(spec, world);
    if (world.size.value == 1) return;
    const auto others = fmt::format("those of a world ({})", world.size.variable);
    require_own_nodes(spec, others);
    refuse_random_faults(spec, others);
    refuse_hang(spec, others, 1);
}

void require_mpi_if_used(const ExperimentSpec& spec, bool is_of_mpi) {
    if (spec.strategy.algorithm != AllReduceAlgorithm::mpi) return;
    constexpr auto found = "$.strategy.algorithm: found \"mpi\", and ";
    if (!has_mpi()) {
        throw UsageError(
            fmt::format("{}this convoy was built without Open MPI: install libopenmpi-dev (apt-get install "
                        "libopenmpi-dev) and build convoy again, or take another algorithm",
                        found));
    }
    if (!is_of_mpi) {
        throw UsageError(
            fmt::format("{}mpirun did not start the nodes: type `mpirun -np {} convoy run SPEC` (for a sweep "
                        "scripts/mpi/sweep), or take another algorithm",
                        found, spec.world_size()));
    }
}

void add_tls_options(options::options_description& described) {
    described.add_options()  //
        ("tls",
         "all connections between processes are encrypted, by TLS 1.3; the token proves who is who, so "
         "certificates are made for the run")  //
        ("tls-certificate", options::value<std::string>()->value_name("FILE"),
         "with --tls-key: the certificate of this machine, in PEM's form, in the place of a made one")  //
        ("tls-key", options::value<std::string>()->value_name("FILE"), "its private key")               //
        ("tls-ca", options::value<std::string>()->value_name("FILE"),
         "certificates of authorities: each side must have its certificate of one of them, and the side that "
         "listens for the name or address that the other connects to");
}

std::optional<TlsFiles> tls_given(const options::variables_map& given) {
    const auto file = [&](const char* option) {
        const auto path = path_given(given, option);
        return path ? std::filesystem::absolute(*path).string() : std::string();
    };
    const TlsFiles files{
        .certificate = file("tls-certificate"), .key = file("tls-key"), .authority = file("tls-ca")};
    if (files.certificate.empty() != files.key.empty())
        throw UsageError(fmt::format("--{} is missing: a certificate and its private key go together",
                                     files.key.empty() ? "tls-key" : "tls-certificate"));
    if (!given.contains("tls") && files == TlsFiles()) return std::nullopt;
    [[maybe_unused]] const TlsContext usable(files);  // now, and not when the nodes are to connect
    return files;
}

std::string token_given(const options::variables_map& given) {
    if (const auto file = path_given(given, "token-file"))
        return naming_option("token-file", [&] { return read_token_file(*file); });
    const char* token = std::getenv("CONVOY_TOKEN");
    if (token == nullptr || *token == '\0') return "";
    require_strong(token, "CONVOY_TOKEN");
    return token;
}

Joining::Joining(const options::variables_map& given, const ExperimentSpec& spec,
                 const std::optional<World>& world)
    : await_(nodes_awaited(given, spec)), hosts_(remote_hosts_given(given, spec)), tls_(tls_given(given)) {
    if (tls_ && !tls_->authority.empty() && tls_->certificate.empty())
        throw UsageError(
            "--tls-certificate is missing: with --tls-ca each node must show a certificate of an authority");
    if (tls_ && spec.strategy.algorithm == AllReduceAlgorithm::mpi) {
        throw UsageError(
            "$.strategy.algorithm: found \"mpi\", expected another with --tls: MPI has connections of its "
            "own, which convoy cannot encrypt");
    }
    if (await_ > 0) require_own_nodes(spec, "those of --await");
    if (hosts_) refuse_to_shrink(spec, "those of --hosts", " or \"restart\"");
    if (await_ > 0) {
        refuse_random_faults(spec, "those of --await");
        refuse_hang(spec, "those of --await", spec.world_size() - await_);
    }
    if (hosts_) {
        refuse_random_faults(spec, "those of --hosts");
        refuse_hang(spec, "those of --hosts", 0);
    }
    const bool listens = given.contains("listen");
    if (spec.cluster && (listens || world || hosts_ || await_ > 0)) {
        throw UsageError(
            fmt::format("{}: the launcher starts all nodes of a spec that has emulated hosts (cluster)",
                        world        ? world->size.variable
                        : hosts_     ? "--hosts"
                        : await_ > 0 ? "--await"
                                     : "--listen"));
    }
    // With a list of hosts, it is an interface or a network of each of them, and this machine has no node.
    if (listens && !hosts_) {
        naming_option("listen", [&] {
            auto listen = split_listen_address(given["listen"].as<std::string>());
            resolve_interface(listen.address);  // now, and not when the nodes are to start
            interface_ = std::move(listen.address);
            port_ = listen.port;
        });
    }
    is_of_mpi_ = world && is_of_open_mpi(*world);
    require_mpi_if_used(spec);
    if (world) {
        take_world(given, spec, *world);
        return;
    }
    if (const auto file = path_given(given, "token-file"))
        token_argument_ = " --token-file " + file->string();
    if (await_ > 0 || !token_argument_.empty()) token_ = token_given(given);
    if (await_ > 0 && token_.empty()) {
        made_ = std::make_unique<TokenFile>();
        token_ = made_->token();
        token_argument_ = " --token-file " + made_->path().string();
    }
}

void Joining::take_world(const options::variables_map& given, const ExperimentSpec& spec,
                         const World& world) {
    require_nodes(world, spec.world_size());
    has_world_ = true;
    await_ = world.size.value - 1;
    const auto listen = given.contains("listen") ? std::optional(interface_) : std::nullopt;
    interface_ = address_for_world(world, listen, own_host_name()).to_string();
    cores_ = cores_of_process(world, static_cast<int>(usable_cores()),
                              static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
    token_ = token_given(given);
    if (knows_the_way(world, token_)) {
        if (port_ != 0 && port_ != world.master_port)
            throw DisagreementError(
                fmt::format("--listen names port {}, and MASTER_PORT is {}", port_, world.master_port));
        port_ = world.master_port;
    } else if (await_ > 0 && !given.contains("dry-run")) {
        rendezvous_ = std::make_unique<RendezvousFile>(rendezvous_file(given, world));
    }
    if (token_.empty()) token_ = random_token();
}

void Joining::require_mpi_if_used(const ExperimentSpec& spec) const {
    convoy::require_mpi_if_used(spec, is_of_mpi_);
}

void Joining::apply(LaunchOptions& launch) const {
    launch.interface = interface_;
    launch.port = port_;
    if (!token_.empty()) launch.token = token_;
    if (cores_) launch.cores = *cores_;
    launch.tls = tls_;
    launch.nodes_ignore_term = has_world_;
    if (hosts_) launch.remote = hosts_->nodes(launch.spec.world_size(), launch.world_size());
    if (await_ == 0) return;
    launch.local_nodes = launch.spec.world_size() - await_;
    launch.join_deadline_s =
        std::max(has_world_ ? world_deadline_s : join_deadline_s, launch.spec.deadline_s);
}

void Joining::announce(const std::string& endpoint) const {
    if (rendezvous_) return rendezvous_->publish({.endpoint = endpoint, .token = token_});
    if (!has_world_) say(line(endpoint));
}

std::string Joining::line(const std::string& endpoint) const {
    return fmt::format(
        "waits for {}; {}type where {}{}: convoy worker --join {}{}", count_text(await_, "node"),
        token_argument_.empty() ? "" : "if a node is on another machine, copy the token's file there; ",
        await_ == 1 ? "it runs" : "each runs", token_argument_.empty() ? ", with the same CONVOY_TOKEN" : "",
        endpoint, token_argument_);
}

}  // namespace convoy
