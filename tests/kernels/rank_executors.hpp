#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/steps.hpp"
#include "program/kernel.hpp"

namespace convoy::test {

/// Ranks that train together in one thread, without a network: each runs up to its next sum over all ranks,
/// which is then taken here.
class Lockstep {
  public:
    /// programs: by rank, each bound to a back-end of its own. Steps run a rank's last program; those before
    /// it have their say in how parameters lie, as that of a run's largest batch has.
    Lockstep(std::vector<std::vector<Program>> programs,
             const std::function<std::unique_ptr<Backend>()>& make);

    [[nodiscard]] const Program& program(std::size_t rank) const { return programs_.at(rank).back(); }
    [[nodiscard]] Backend& backend(std::size_t rank) { return *backends_.at(rank); }
    [[nodiscard]] std::size_t ranks() const { return programs_.size(); }

    /// One step, in which each rank gets as many of the batch's examples as its program takes. Returns the
    /// mean of their losses. Throws InternalError where ranks wait for unlike sums.
    double step(const OwnedBatch& batch, std::int64_t step);

  private:
    /// Runs a rank from an operator on, up to one that waits for a sum, which is returned, or the end.
    std::size_t advance(std::size_t rank, std::size_t from, const StepContext& context);
    void sum(const std::vector<std::size_t>& waiting);

    std::vector<std::vector<Program>> programs_;
    std::vector<std::unique_ptr<Backend>> backends_;
    std::vector<std::vector<std::unique_ptr<BoundProgram>>> bound_;
};

}  // namespace convoy::test
