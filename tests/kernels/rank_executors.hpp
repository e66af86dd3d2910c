#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/steps.hpp"
#include "program/executor.hpp"
#include "program/kernel.hpp"
#include "support/memory_network.hpp"

namespace convoy::test {

/// Ranks that train together in one process: each runs its program in a thread of its own, with the executor
/// of a real run, over a network in memory.
class RankExecutors {
  public:
    /// programs: by rank, each bound to a back-end of its own. Steps run a rank's last program; those before
    /// it take part in choosing the layouts of parameters, as the program of a run's largest batch does.
    RankExecutors(std::vector<std::vector<Program>> programs,
                  const std::function<std::unique_ptr<Backend>()>& make);

    [[nodiscard]] const Program& program(std::size_t rank) const { return ranks_.at(rank)->programs.back(); }
    [[nodiscard]] Backend& backend(std::size_t rank) { return *ranks_.at(rank)->backend; }
    [[nodiscard]] std::size_t ranks() const { return ranks_.size(); }

    /// One step, in which each rank gets as many of the batch's examples as its program takes. Returns the
    /// mean of their losses. Throws the error of the rank that failed first.
    double step(const OwnedBatch& batch, std::int64_t step);

  private:
    /// One rank's part. Nothing in it moves: the executor refers to the rest.
    struct Rank {
        std::vector<Program> programs;
        std::unique_ptr<Backend> backend;
        std::vector<std::unique_ptr<BoundProgram>> bound;
        OperatorTimer timer;
        StepState state;
        std::unique_ptr<Executor> executor;
    };

    std::vector<std::unique_ptr<Rank>> ranks_;
    std::unique_ptr<MemoryNetwork> network_;  ///< ends first: it writes to the ranks' buckets
};

}  // namespace convoy::test
