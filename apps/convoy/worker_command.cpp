#include "worker_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cluster/worker.hpp"
#include "command_line.hpp"
#include "train/run_node.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string read_token(const options::variables_map& given) {
    if (given.contains("token-file")) {
        constexpr std::size_t limit_bytes = 4096;
        auto token = read_text(given["token-file"].as<std::string>(), limit_bytes);
        token.erase(token.find_last_not_of(" \t\r\n") + 1);
        return token;
    }
    const auto token = environment("CONVOY_TOKEN");
    if (!token)
        throw UsageError("convoy worker needs the run's token: set CONVOY_TOKEN or give --token-file FILE");
    return *token;
}

/// Set by the launcher for the workers that it starts.
std::optional<std::int64_t> assigned_rank() {
    const auto text = environment("CONVOY_RANK");
    if (!text) return std::nullopt;
    std::int64_t rank = -1;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), rank);
    if (error != std::errc{} || end != text->data() + text->size() || rank < 0)
        throw UsageError(fmt::format("CONVOY_RANK is '{}', not a rank from 0 up; unset it", *text));
    return rank;
}

}  // namespace

options::options_description worker_options_described() {
    options::options_description described("options");
    described.add_options()                                                                                //
        ("join", options::value<std::string>(), "HOST:PORT of the launcher")                               //
        ("interface", options::value<std::string>(),                                                       //
         "where its peers reach this node: a name, an address or a CIDR; else what reaches the launcher")  //
        ("token-file", options::value<std::string>(), "holds the run's token; else $CONVOY_TOKEN");
    return described;
}

WorkerOptions worker_options(const options::variables_map& given) {
    if (!given.contains("join"))
        throw UsageError("convoy worker: --join HOST:PORT is missing; see convoy worker --help");
    WorkerOptions worker;
    worker.launcher = given["join"].as<std::string>();
    worker.token = read_token(given);
    worker.rank = assigned_rank();
    if (given.contains("interface")) worker.interface = given["interface"].as<std::string>();
    return worker;
}

int worker_command(std::span<const std::string> arguments) {
    const auto described = worker_options_described();
    const auto given = parse_arguments("worker", arguments, described, {});
    if (print_help(given, "convoy worker --join HOST:PORT [options]: one more node of a run", described))
        return 0;
    return run_worker(worker_options(given), run_node);
}

}  // namespace convoy
