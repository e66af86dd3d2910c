#include "train/memory_cluster.hpp"

#include <chrono>
#include <map>
#include <utility>

#include "strategy/compile.hpp"
#include "train/agreement.hpp"
#include "train/run_node.hpp"

namespace convoy::test {
namespace {

class Noting final : public NodeReporter {
  public:
    Noting(std::int64_t rank, Agreement& agreement, NodeOutcome& outcome)
        : rank_(rank), agreement_(agreement), outcome_(outcome) {}
    void agree(const Fingerprints& fingerprints) override { agreement_.agree(rank_, fingerprints); }
    void progress(const NodeProgress&) override {}
    void records(NodeRecords records) override { outcome_.records.append(std::move(records)); }
    void weights(std::span<const std::byte> safetensors) override {
        outcome_.weights.assign(safetensors.begin(), safetensors.end());
    }
    void checkpoint(NodeCheckpoint checkpoint) override {
        outcome_.checkpoints.push_back(std::move(checkpoint));
    }

  private:
    std::int64_t rank_;
    Agreement& agreement_;
    NodeOutcome& outcome_;
};

NodeAssignment assignment_of(std::int64_t rank, const ExperimentSpec& spec,
                             const MemoryClusterOptions& options) {
    NodeAssignment assignment;
    assignment.rank = rank;
    assignment.world_size = ranks_of(spec);
    assignment.spec = spec;
    const auto own = options.own_data_folders.find(rank);
    assignment.data_folder = own == options.own_data_folders.end() ? options.data_folder : own->second;
    if (!options.resume.empty()) {
        assignment.resume = options.resume.at(static_cast<std::size_t>(rank));
        if (assignment.resume->tensors.empty()) assignment.resume->tensors = options.resume[0].tensors;
    }
    return assignment;
}

NodeEnd end_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return {known.code(), known.what()};
    } catch (const std::exception& unknown) {
        return {ExitCode::bug, unknown.what()};
    }
}

}  // namespace

std::vector<NodeOutcome> run_memory_cluster(ExperimentSpec spec, std::int64_t nodes,
                                            const MemoryClusterOptions& options) {
    spec.nodes.assign(static_cast<std::size_t>(nodes), NodeSpec{.threads = 1});
    const auto deadline = std::chrono::duration_cast<Clock::duration>(Seconds(spec.deadline_s));
    const auto ranks = ranks_of(spec);
    FabricOptions fabric{.deadline = deadline, .host_of_rank = options.host_of_rank};
    if (options.grace) fabric.grace = *options.grace;
    MemoryNetwork network(
        ranks, {.connections = spec.strategy.connections, .fabric = fabric, .death = options.death});
    Agreement agreement(ranks, deadline);
    std::vector<NodeOutcome> outcomes(static_cast<std::size_t>(ranks));
    const auto errors = on_all_ranks(network, [&](std::int64_t rank, Communicator& communicator) {
        try {
            Noting reporter(rank, agreement, outcomes[static_cast<std::size_t>(rank)]);
            const auto hosts = options.host_of_rank.empty() ? HostMap(ranks) : HostMap(options.host_of_rank);
            FormedNetwork formed(communicator, hosts);
            run_node(assignment_of(rank, spec, options), formed, reporter);
        } catch (...) {
            agreement.leave(rank);
            throw;
        }
    });
    for (const auto& error : errors) outcomes[static_cast<std::size_t>(error.rank)].end = end_of(error.error);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        outcomes[static_cast<std::size_t>(rank)].sent_frames = network.sent_frames(rank);
    return outcomes;
}

std::vector<double> step_losses(const std::vector<NodeOutcome>& cluster) {
    std::map<std::int64_t, std::pair<double, double>> sums;  // of losses and of examples, by step
    for (const auto& node : cluster) {
        for (const auto& step : node.records.steps) {
            if (step.examples == 0) continue;
            auto& [losses, examples] = sums[step.step];
            losses += step.loss * static_cast<double>(step.examples);
            examples += static_cast<double>(step.examples);
        }
    }
    std::vector<double> losses;
    for (const auto& [step, sum] : sums) losses.push_back(sum.first / sum.second);
    return losses;
}

}  // namespace convoy::test
