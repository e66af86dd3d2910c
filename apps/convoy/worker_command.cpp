#include "worker_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/standard_control.hpp"
#include "cluster/worker.hpp"
#include "command_line.hpp"
#include "joining.hpp"
#include "measure/core_list.hpp"
#include "net/interface.hpp"
#include "train/run_node.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string read_token(const options::variables_map& given) {
    auto token = token_given(given);
    if (token.empty())
        throw UsageError("convoy worker needs the run's token: set CONVOY_TOKEN or give --token-file FILE");
    return token;
}

}  // namespace

NodeJob training_job(const options::variables_map& given) {
    auto data_folder = path_given(given, "data");
    // A worker that the launcher started has its environment, and must heed its --data.
    if (!data_folder && !given.contains("control"))
        if (const auto folder = environment("CONVOY_DATA"); folder && !folder->empty()) data_folder = *folder;
    return [data_folder, kept = std::make_shared<KeptNode>()](NodeAssignment assignment, Network& network,
                                                              NodeReporter& reporter) {
        if (data_folder) assignment.data_folder = *data_folder;
        run_node(std::move(assignment), network, reporter, *kept);
    };
}

options::options_description worker_options_described() {
    auto described = option_group();
    described.add_options()                                                                  //
        ("join", options::value<std::string>()->value_name("HOST:PORT"), "of the launcher")  //
        ("interface", options::value<std::string>()->value_name("NAME|ADDRESS|CIDR"),
         "where peers reach this node; else the address to the launcher")  //
        ("token-file", options::value<std::string>()->value_name("FILE"),
         "holds the run's token, and only its owner may read it; else $CONVOY_TOKEN")  //
        ("control", options::value<int>()->value_name("N"),
         "for workers that a launcher starts: the file descriptor of its connection")  //
        ("stdio",
         "for workers that a launcher starts by ssh: standard input and output are its connection")  //
        ("share", options::value<int>()->value_name("N"),
         "for these: the number of nodes that share the cores of this host")  //
        ("rank", options::value<std::int64_t>()->value_name("N"), "for both: the rank");
    return described;
}

namespace {

WorkerOptions worker_by_ssh(const options::variables_map& given, WorkerOptions worker) {
    if (!given.contains("rank")) throw UsageError("convoy worker: --stdio needs --rank");
    if (!worker.interface) worker.interface = address_of_ssh();
    const int share = given.contains("share") ? std::max(1, given["share"].as<int>()) : 1;
    worker.cores = std::max(1, static_cast<int>(usable_cores()) / share);
    worker.own = {
        .descriptor = take_standard_connection(), .rank = given["rank"].as<std::int64_t>(), .remote = true};
    return worker;
}

}  // namespace

void take_tls(const options::variables_map& given, WorkerOptions& worker) {
    const auto files = tls_given(given);
    worker.requires_tls = files.has_value();
    worker.tls = files.value_or(TlsFiles());
}

WorkerOptions worker_options(const options::variables_map& given) {
    WorkerOptions worker;
    if (given.contains("interface")) worker.interface = given["interface"].as<std::string>();
    if (given.contains("control")) {
        if (!given.contains("rank")) throw UsageError("convoy worker: --control needs --rank");
        worker.own = {.descriptor = given["control"].as<int>(), .rank = given["rank"].as<std::int64_t>()};
        return worker;
    }
    if (given.contains("stdio")) return worker_by_ssh(given, std::move(worker));
    if (!given.contains("join"))
        throw UsageError("convoy worker: --join HOST:PORT is missing; see convoy worker --help");
    worker.launcher = given["join"].as<std::string>();
    if (worker.interface) naming_option("interface", [&] { return resolve_interface(*worker.interface); });
    naming_option("join", [&] { return split_host_port(worker.launcher); });
    worker.token = read_token(given);
    take_tls(given, worker);
    return worker;
}

CommandForm worker_form() {
    auto described = worker_options_described();
    described.add_options()                                                      //
        ("tls", "refuse a launcher without TLS; with it, the launcher decides")  //
        ("tls-certificate", options::value<std::string>()->value_name("FILE"),
         "with --tls-key, for TLS: the certificate of this machine; else one is made")     //
        ("tls-key", options::value<std::string>()->value_name("FILE"), "its private key")  //
        ("tls-ca", options::value<std::string>()->value_name("FILE"),
         "certificates of authorities of which the launcher and the other nodes must have theirs")  //
        ("data", options::value<std::string>()->value_name("DIR"),
         "folder of datasets on this machine; else $CONVOY_DATA, else the launcher's");
    return {.name = "worker",
            .summary = "one more node of a run, by hand: --join HOST:PORT --token-file FILE",
            .options = described};
}

int worker_command(std::span<const std::string> arguments) {
    const auto form = worker_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    return run_worker(worker_options(given), training_job(given));
}

}  // namespace convoy
