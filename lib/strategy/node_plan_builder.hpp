#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy {

/// On which nodes a parameter is the same.
enum class Replication : std::uint8_t {
    start_alike,  ///< all nodes hold it and start from the same values; each trains its own
    alike,        ///< all nodes hold the same values between two steps
};

/// Puts the plan of one node together. It refers to the input.
class NodePlanBuilder {
  public:
    /// group: see Placement.
    NodePlanBuilder(const CompileInput& input, std::int64_t rank, std::string role,
                    std::vector<std::int64_t> group = {});

    [[nodiscard]] const CompileInput& input() const { return input_; }
    [[nodiscard]] const StrategySpec& strategy() const { return input_.spec.strategy; }
    [[nodiscard]] Routine& routine() { return plan_.routine; }
    [[nodiscard]] std::vector<HeldParameter>& parameters() { return plan_.parameters; }
    void hold_alike_with(std::string nodes) { plan_.alike_with = std::move(nodes); }
    void set_layouts(std::vector<Program> layouts) { plan_.layouts = std::move(layouts); }
    /// The largest share that any rank has of any training batch.
    [[nodiscard]] std::int64_t largest_share() const { return largest_share_; }
    /// The part of this rank in a mean over all nodes: its part of the examples of an epoch, or 1 / nodes if
    /// the nodes share batches equally.
    [[nodiscard]] double part_in_means() const;
    /// Where this rank's program for so many examples runs.
    [[nodiscard]] Placement placement(std::int64_t batch) const;

    /// Adds a program, and gives its place. A start with its wait right behind it becomes one exchange. A
    /// dataset operator stays only if the program uses its result.
    std::size_t add(Program program);
    /// The programs so far decide how parameters lie in memory, up to the one with the most operators.
    void decide_layouts();
    /// The same for a node whose programs compute nothing: a program of other nodes decides.
    void decide_layouts_by(Program program);

    /// The node holds every parameter of the network. Rank 0 saves them; every node keeps its own in
    /// checkpoints where they may differ from rank 0's.
    void hold_all(Replication replication);
    /// Brings the moving statistics of batch normalisation to their mean over all nodes before an evaluation
    /// and a checkpoint. Its program comes first: the statistics lie in its bucket.
    void average_statistics();
    /// Distributes the program of an evaluation. split: the examples of the batch, by rank.
    using Distribute = std::function<Program(Program program, std::span<const std::int64_t> split)>;
    /// Evaluates the node's shares with these programs, one for each way in which a batch is split. Without
    /// `distribute`, a node without examples computes nothing.
    void evaluate_shares(const Distribute& distribute = {});
    /// Takes no part in evaluations.
    void evaluate_nothing();
    /// Sums scores over all nodes, where a decision needs them.
    void sum_scores();

    /// The plan, with the links that its exchanges need and the data that its programs read.
    [[nodiscard]] NodePlan done() &&;

  private:
    /// The program as it is compiled.
    [[nodiscard]] Program tuned(Program program) const;

    const CompileInput& input_;
    NodePlan plan_;
    std::vector<std::int64_t> group_;
    std::int64_t largest_share_ = 0;
};

}  // namespace convoy
