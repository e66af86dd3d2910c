#include "run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "measure/environment.hpp"
#include "report/origin.hpp"
#include "report/run_folder_format.hpp"
#include "run_faults.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "spec/same_bits.hpp"

namespace convoy {
namespace {

/// A limit that all hosts have alike, else nothing.
template <typename Value>
std::optional<Value> common_limit(const std::vector<EmulatedHost>& hosts,
                                  std::optional<Value> EmulatedHost::*limit) {
    const auto first = hosts.front().*limit;
    const auto same = [&](const EmulatedHost& host) { return host.*limit == first; };
    return std::ranges::all_of(hosts, same) ? first : std::nullopt;
}

std::optional<EmulatedCluster> emulated_cluster_of(const ExperimentSpec& spec) {
    if (!spec.cluster) return std::nullopt;
    std::vector<EmulatedHost> hosts;
    for (std::int64_t i = 0; i < spec.host_count(); ++i) {
        const auto host = spec.cluster->host(i);
        hosts.push_back({.link_mbit = host.link_mbit, .cpu = host.cpu, .memory_mb = host.memory_mb});
    }
    EmulatedCluster cluster{.hosts = spec.host_count(),
                            .link_mbit = common_limit(hosts, &EmulatedHost::link_mbit),
                            .cpu = common_limit(hosts, &EmulatedHost::cpu),
                            .memory_mb = common_limit(hosts, &EmulatedHost::memory_mb)};
    if (std::ranges::count(hosts, hosts.front()) < std::ssize(hosts)) cluster.unlike = std::move(hosts);
    return cluster;
}

std::optional<AccuracyTarget> target_of(const ExperimentSpec& spec) {
    if (!spec.target) return std::nullopt;
    return AccuracyTarget{.accuracy = spec.target->accuracy,
                          .split = spec.target->split == EvaluatedSplit::test ? "test" : "validation"};
}

}  // namespace

RunDescription::RunDescription(const ExperimentSpec& spec, const std::filesystem::path& data_folder,
                               DataDigests& digests)
    : spec_(spec), id_(run_id(spec).substr(0, 12)), data_(digests.of(spec.dataset, data_folder)) {}

std::vector<std::string> RunDescription::differences_from(const std::filesystem::path& folder) const {
    const auto before = read_environment(folder);
    return before ? origin_differences(*before, environment({}), (folder / environment_file).string())
                  : std::vector<std::string>();
}

std::vector<std::string> RunDescription::changed_data_since(const std::filesystem::path& folder) const {
    const auto before = read_environment(folder);
    return before ? data_differences(*before, environment({}), (folder / environment_file).string())
                  : std::vector<std::string>();
}

void RunDescription::accept_change(const std::string& line) {
    if (std::ranges::count(accepted_changes_, line) == 0) accepted_changes_.push_back(line);
}

void RunDescription::continue_from(const std::filesystem::path& folder) {
    const auto before = read_environment(folder);
    if (!before || !before->is_object() || !before->contains("accepted_changes")) return;
    for (const auto& line : before->at("accepted_changes")) {
        if (!line.is_string())
            throw DataError(fmt::format("{}: accepted_changes: expected lines of text",
                                        (folder / environment_file).string()));
        accept_change(line.get<std::string>());
    }
}

nlohmann::json RunDescription::environment(const RunOutcome& outcome) const {
    const auto* onednn = dnnl_version();
    auto environment =
        environment_json({{"convoy", std::string(version())},
                          {"onednn", fmt::format("{}.{}.{}", onednn->major, onednn->minor, onednn->patch)}});
    environment["nodes"] = nlohmann::json::array();
    for (const auto& node : outcome.nodes) {
        environment["nodes"].push_back(
            {{"rank", node.rank}, {"pid", node.pid}, {"host", node.host}, {"threads", node.threads}});
    }
    environment["emulated_network"] = outcome.network ? nlohmann::json(*outcome.network) : nlohmann::json();
    environment["tls"] = nlohmann::json();
    if (tls_)
        environment["tls"] = {{"version", "1.3"},
                              {"certificate", tls_->certificate.empty() ? "made for the run" : "given"},
                              {"certificates_checked", !tls_->authority.empty()}};
    environment["data"] = nlohmann::json::array();
    for (const auto& file : data_)
        environment["data"].push_back({{"file", file.file}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    environment["fetched"] = nlohmann::json();
    if (fetched_)
        environment["fetched"] = {
            {"files", fetched_->files}, {"bytes", fetched_->bytes}, {"seconds", fetched_->seconds}};
    environment["warnings"] = outcome.warnings;
    environment["accepted_changes"] = accepted_changes_;
    for (const auto& line : accepted_changes_) environment["warnings"].push_back(line);
    return environment;
}

RunRecord RunDescription::record(const RunOutcome& outcome, const std::optional<BatchShares>& shares,
                                 const std::string& pipeline) const {
    return {{.name = spec_.name,
             .run_id = id_,
             .status = outcome.status,
             .nodes = spec_.world_size(),
             .batch_size = spec_.batch_size,
             .cluster = emulated_cluster_of(spec_),
             .target = target_of(spec_),
             .resumed_from_steps = outcome.resumed_from_steps,
             .faults = planned_faults(spec_),
             .bits_independent_of_nodes = !bits_depend_on_nodes(spec_),
             .balance = shares,
             .planned_pipeline = pipeline},
            json_text(to_json(spec_), 2),
            json_text(environment(outcome), 2)};
}

}  // namespace convoy
